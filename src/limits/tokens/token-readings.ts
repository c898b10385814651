import type { ClockOffset } from "../history/clock-offset.ts";
import { namesNoWindow } from "../history/names-no-window.ts";
import type { LimitOp } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { largestTokenRefill } from "./token-refill.ts";

/** What the readings of this policy are known to do beside charging. */
export interface TokenReadings {
  /** Readings are multiples of this, 0: of nothing. */
  readonly step: number;
  /** The most tokens that one refill brings back. */
  readonly lump: number;
  readonly mayHaveEnded: (before: LimitOp, after: LimitOp) => boolean;
}

export function tokenReadings(ops: readonly LimitOp[], offset: ClockOffset | null, tolerances: Tolerances): TokenReadings {
  return {
    step: readingStep(ops),
    lump: largestTokenRefill(ops, tolerances),
    mayHaveEnded: (before, after) => mayHaveEnded(before, after, ops, offset, tolerances),
  };
}

/** Readings may be rounded: the coarsest of these of which all of them are multiples, 0 for none. */
function readingStep(ops: readonly LimitOp[]): number {
  const values = ops.flatMap(({ tokens }) => (tokens.remaining === null ? [] : [tokens.remaining]));
  if (new Set(values).size < 3) return 0;
  return [1000, 100, 10, 5].find((step) => values.every((value) => value % step === 0)) ?? 0;
}

/** Whether the window that the earlier reading names may have ended by the time of the later one. */
function mayHaveEnded(
  before: LimitOp,
  after: LimitOp,
  ops: readonly LimitOp[],
  offset: ClockOffset | null,
  tolerances: Tolerances,
): boolean {
  if (before.tokens.resetMs === null || offset === null) return true;
  const labels = ops.map(({ tokens }) => tokens.resetMs);
  if (!offset.split && namesNoWindow(labels, tolerances, 2)) return false;
  return before.tokens.resetMs - tolerances.clockMs - tolerances.fuzzMs <= after.headersMs + offset.highMs;
}
