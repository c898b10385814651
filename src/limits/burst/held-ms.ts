import { answeredFromMs, type LimitOp } from "../history/op.ts";

/** A queued request is admitted when it is answered, so that answers and not send instants are counted. */
export function heldMs(op: LimitOp): number {
  return op.headersMs - op.sentMs;
}

/** The least time for which it was held: the instrument may have sent it, and read its answer, late. */
export function leastHeldMs(op: LimitOp): number {
  return answeredFromMs(op) - op.sentMs;
}
