import { type EndpointId, endpoints } from "../../core/exchange/endpoint.ts";

const ids = Object.keys(endpoints) as EndpointId[];

/** The endpoint of which a path is a notation, encoded or with empty segments: a router may take it for that one. null: it is of none. */
export function endpointOfPath(path: string): EndpointId | null {
  const plain = plainPath(path);
  return ids.find((id) => endpoints[id].path === plain) ?? null;
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
