import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";

/** Used a window before, so that a log may have let go of it between the two readings. */
export function leavingBetween(ops: readonly LimitOp[], before: LimitOp, after: LimitOp, tolerances: Tolerances): number {
  const { windowMs, granularityMs, fuzzMs } = tolerances;
  const fromMs = before.sentMs - windowMs - granularityMs - fuzzMs;
  const toMs = after.headersMs - windowMs + granularityMs + fuzzMs;
  return ops
    .filter((op) => op.endMs >= fromMs && op.sentMs <= toMs)
    .reduce((sum, op) => sum + (op.usedTokens ?? op.maxTokens ?? 0), 0);
}
