import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { Fault } from "./fault-rules.ts";
import type { Ticket } from "../engine/admission.ts";
import type { LimitCause } from "../engine/refusal.ts";
import type { SeenCall } from "./seen-call.ts";

/** The rules around every operation. */
export interface OperationRules {
  /** Whether a refused caller is shown first what is wrong with its request. */
  readonly readsBeforeRefusing: (endpoint: EndpointId) => boolean;
  /** The body of POST /v1/keys; null: there is no such operation (spec, Authentication, 2). */
  readonly createdKey: (nextId: (prefix: string) => string) => object | null;
  readonly isImplemented: (endpoint: EndpointId) => boolean;
  /** A breakdown of the service that nobody ordered. */
  readonly fault: (call: SeenCall) => Fault | null;
  /** Time before the work begins. */
  readonly idleMs: (requestId: string) => number;
  /** Surrounds everything that an admitted request does. */
  readonly serving: (call: SeenCall, ticket: Ticket, serve: (ticket: Ticket) => Promise<void>) => Promise<void>;
  /** The input that the work begins with. */
  readonly input: <Input>(input: Input, call: SeenCall) => Input | Promise<Input>;
  /** Called when the request was refused, and before the answer is written. */
  readonly refused: (refusal: RefusedAs, call: SeenCall) => Promise<void>;
}

/** `cause`: the limit that refused, where one did. */
export interface RefusedAs {
  readonly status: number;
  readonly cause?: LimitCause;
}

export const lawfulOperationRules: OperationRules = {
  readsBeforeRefusing: () => false,
  createdKey: () => null,
  isImplemented: () => true,
  fault: () => null,
  idleMs: () => 0,
  serving: (_, ticket, serve) => serve(ticket),
  input: (input) => input,
  refused: () => Promise.resolve(),
};
