import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Fault } from "../control/fault-rules.ts";

/** What surrounds every operation. */
export interface OperationRules {
  /** Whether a refused caller is shown first what is wrong with its request. */
  readonly readsBeforeRefusing: (endpoint: EndpointId) => boolean;
  /** The body of POST /v1/keys; null: there is no such operation (spec, Authentication, 2). */
  readonly createdKey: (nextId: (prefix: string) => string) => object | null;
  readonly isImplemented: (endpoint: EndpointId) => boolean;
  /** A breakdown of the service of which nobody ordered anything. */
  readonly fault: (endpoint: EndpointId, asksForStream: () => boolean) => Fault | null;
  /** Time before the work begins. */
  readonly idleMs: (requestId: string) => number;
}

export const lawfulOperationRules: OperationRules = {
  readsBeforeRefusing: () => false,
  createdKey: () => null,
  isImplemented: () => true,
  fault: () => null,
  idleMs: () => 0,
};
