import { answeredFromMs, type LimitOp } from "../history/op.ts";

/** The most for which it was held, at least `leastHeldMs`: how late the instrument was is part of it. */
export function heldMs(op: LimitOp): number {
  return op.headersMs - op.sentMs;
}

/** The least time for which it was held: the instrument may have sent it, and read its answer, late. */
export function leastHeldMs(op: LimitOp): number {
  return answeredFromMs(op) - op.sentMs;
}
