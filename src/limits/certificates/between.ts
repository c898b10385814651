import type { LimitOp } from "../history/op.ts";

/** Others that may have been decided between the two, which may lie so much further apart. */
export function between(ops: readonly LimitOp[], first: LimitOp, second: LimitOp, skewMs = 0): number {
  const [fromMs, toMs] = [first.sentMs - skewMs, second.headersMs + skewMs];
  return ops.filter((op) => op !== first && op !== second && op.headersMs >= fromMs && op.sentMs <= toMs).length;
}
