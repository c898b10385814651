import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { chargeDelayMs } from "./charge-delay.ts";

/** Used a window before, so that a log may have let go of it between the two readings. */
export function leavingBetween(ops: readonly LimitOp[], before: LimitOp, after: LimitOp, tolerances: Tolerances): number {
  return opsLeaving(ops, before, after, tolerances).reduce((sum, op) => sum + (op.usedTokens ?? op.maxTokens ?? 0), 0);
}

/** The most that is taken off once more when what was held for an answer, and given back, leaves a log. */
export function heldLeavingBetween(ops: readonly LimitOp[], before: LimitOp, after: LimitOp, tolerances: Tolerances): number {
  return opsLeaving(ops, before, after, tolerances).reduce((sum, op) => sum + (op.maxTokens ?? 0), 0);
}

function opsLeaving(ops: readonly LimitOp[], before: LimitOp, after: LimitOp, tolerances: Tolerances): readonly LimitOp[] {
  const { windowMs, granularityMs, fuzzMs } = tolerances;
  const fromMs = before.sentMs - windowMs - granularityMs - fuzzMs;
  const toMs = after.headersMs - windowMs + granularityMs + fuzzMs;
  // Charged and given back as late as a charge comes.
  return ops.filter((op) => op.endMs + chargeDelayMs >= fromMs && op.sentMs <= toMs);
}
