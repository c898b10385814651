import type { LimitOp } from "../history/op.ts";

/** A queued request is admitted when it is answered, so that answers and not send instants are counted. */
export function heldMs(op: LimitOp): number {
  return op.headersMs - op.sentMs;
}
