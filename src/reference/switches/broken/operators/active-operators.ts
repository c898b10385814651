import type { SeenCall } from "../../../http/seen-call.ts";
import type { Operator } from "./operators.ts";

/** The operators that are on for the operation of a call. */
export type ActiveOperators = (call: SeenCall) => readonly Operator[];

/** `operators`: those that are on now; they may change while the service runs. */
export function createActiveOperators(operators: () => readonly Operator[]): ActiveOperators {
  return ({ endpoint }) => operators().filter((operator) => !("endpoint" in operator) || operator.endpoint === endpoint);
}
