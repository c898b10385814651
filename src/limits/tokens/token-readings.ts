import type { ClockOffset } from "../history/clock-offset.ts";
import { namesNoWindow } from "../history/names-no-window.ts";
import type { LimitOp, OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";

/** The known properties of the readings of this policy beside charging. */
export interface TokenReadings {
  /** Readings are multiples of this, 0: of nothing. */
  readonly step: number;
  /** The most tokens that one refill brings back. */
  readonly lump: number;
  readonly mayHaveEnded: (before: LimitOp, after: LimitOp) => boolean;
}

export function tokenReadings(ops: readonly OpOf<"tokens">[], offset: ClockOffset | null, tolerances: Tolerances): TokenReadings {
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
  // Several clocks that contradict each other name no instant.
  if (before.tokens.resetMs === null || offset === null || offset.split) return true;
  const labels = ops.map(({ tokens }) => tokens.resetMs);
  if (namesNoWindow(labels, tolerances, 2)) return false;
  return before.tokens.resetMs - tolerances.clockMs - tolerances.fuzzMs <= after.headersMs + offset.highMs;
}

/** The coarsest batch in which a lawful count is assumed to refill, ms. */
const batchMs = 12_000;

/**
 * The most tokens that one refill brings back: what the average rate does in the coarsest batch, or less where two readings with
 * nothing in between show a refill that did not fill it up. A reading may count itself or not, so that its own usage is granted.
 */
function largestTokenRefill(ops: readonly OpOf<"tokens">[], { windowMs }: Tolerances): number {
  const limit = ops.find((op) => op.tokens.limit !== null)?.tokens.limit ?? 0;
  const reads = (op: OpOf<"tokens"> | undefined): op is OpOf<"tokens"> =>
    op?.outcome === "admitted" && op.tokens.remaining !== null;
  const fullest = ops.reduce((most, op) => (reads(op) ? Math.max(most, op.tokens.remaining!) : most), 0);
  let least = Math.ceil((limit / windowMs) * batchMs);
  ops.forEach((late, index) => {
    const early = ops[index - 1];
    const before = ops[index - 2];
    if (!early || !isReading(early) || late.phase !== "reading" || !reads(early) || !reads(late)) return;
    // A late charge would hide a refill: the request before both had ended long ago.
    if (before !== undefined && !isReading(before) && before.endMs + 2000 > early.sentMs) return;
    const own = Math.max(early.usedTokens ?? 4, late.usedTokens ?? 4);
    const rose = late.tokens.remaining! - early.tokens.remaining! + own;
    if (rose > 0 && late.tokens.remaining! < fullest - 4 * own) least = Math.min(least, rose + own + 2);
  });
  return least;
}

function isReading({ phase }: OpOf<"tokens">): boolean {
  return phase === "reading" || phase === "together-after";
}
