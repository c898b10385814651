import { type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";
import type { LimitOp } from "./op.ts";
import { setAside } from "./set-aside.ts";

const ids = Object.keys(endpoints) as EndpointId[];

/**
 * A request to no endpoint by its name whose path is another notation of one: a limiter that reads the notation counts it there, another one
 * elsewhere or not at all, so that it is left as a request of that endpoint which may have been counted.
 */
export function countWrittenOtherwise(op: LimitOp, method: string): LimitOp {
  if (op.endpoint !== null) return op;
  const plain = plainPath(op.path);
  const endpoint = ids.find((id) => endpoints[id].method === method && endpoints[id].path === plain);
  return endpoint === undefined ? op : { ...setAside(op), endpoint, cached: op.cached };
}

/** Without escapes, doubled slashes and dot segments; as it is where it cannot be decoded. */
function plainPath(path: string): string {
  const [written = ""] = path.split("?");
  let decoded = written;
  try {
    decoded = decodeURIComponent(written);
  } catch {
    return written;
  }
  return decoded.replaceAll(/\/+/g, "/").replaceAll(/\/\.(?=\/)/g, "");
}
