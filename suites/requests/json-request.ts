import type { CaseRequest } from "../../src/conformance/plan/case.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";

/** A request whose body is this value, nothing added. */
export function jsonRequest(endpoint: EndpointId, label: string, value: unknown, intent?: Intent): CaseRequest {
  return { endpoint, label, body: { kind: "json", value }, intent };
}
