import type { LimitOp } from "../history/op.ts";

/** Whether remaining tokens fell by what the request reports, as far as a label that moves permits a refill. */
export function fitsCharge(before: LimitOp, charged: LimitOp, after: LimitOp, windowMs: number): boolean {
  if (before.tokens.remaining === null || after.tokens.remaining === null || charged.usedTokens === null) return false;
  const fell = before.tokens.remaining - after.tokens.remaining;
  // A label that moves may be that of a count that refills.
  const moves = before.tokens.resetMs !== after.tokens.resetMs;
  const refill = moves ? ((before.tokens.limit ?? 0) * (after.headersMs - before.sentMs)) / windowMs + 2 : 0;
  return fell >= charged.usedTokens - refill && fell <= charged.usedTokens + 2 * (after.usedTokens ?? 4) + 2;
}
