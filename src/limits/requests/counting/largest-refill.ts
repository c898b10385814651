import { ratePerMs, coarsestBatchMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import { roundingOf } from "../../history/rounding.ts";
import type { LimitOp } from "../../history/op.ts";

export interface LargestRefill {
  readonly units: number;
  /** The two requests that show it, for the certificate; null: the average rate over the coarsest batch. */
  readonly shownBy: readonly [LimitOp, LimitOp] | null;
}

/** The requests that the average rate brings back in the coarsest batch. */
export function coarsestRefill({ limit, tolerances }: GroupView): number {
  return limit === null ? Number.POSITIVE_INFINITY : Math.ceil(ratePerMs(limit, tolerances) * coarsestBatchMs);
}

/**
 * The most that one refill of a lawful bucket brings back: what the average rate does in the coarsest batch, or less where the record
 * shows so, by readings or by refusals. Between two admitted requests, alone and one after the other, more came to remain than was taken; if that was a refill it
 * was a whole one, as long as the bucket was not full after it. Display and instances may each hide one of them. O(n).
 */
export function largestRefill(view: GroupView): LargestRefill {
  const { limit, answered, contenders } = view;
  let least: LargestRefill = { units: coarsestRefill(view), shownBy: null };
  if (limit === null || !view.exclusive || roundingOf(view.admitted, limit) > 1) return least;
  const reads = (op: LimitOp): boolean => op.requests.limit === limit && op.requests.remaining !== null;
  const fullest = view.admitted.reduce((most, op) => (reads(op) ? Math.max(most, op.requests.remaining!) : most), 0);
  let next = 0;
  for (const late of view.ops) {
    while (next < answered.length && answered[next]!.headersMs < late.sentMs) next += 1;
    const early = answered[next - 1];
    if (early === undefined || early.outcome !== "admitted" || late.outcome !== "admitted") continue;
    if (!reads(early) || !reads(late) || !Number.isFinite(late.headersMs)) continue;
    const rose = late.requests.remaining! - early.requests.remaining!;
    if (rose < 0 || late.requests.remaining! >= fullest - 2 || rose + 3 >= least.units) continue;
    if (contenders.possible(early.sentMs, late.headersMs) > 2) continue;
    least = { units: rose + 3, shownBy: [early, late] };
  }
  return smaller(least, byRefusals(view));
}

function smaller(one: LargestRefill, other: LargestRefill | null): LargestRefill {
  return other !== null && other.units < one.units ? other : one;
}

/** Fewer may all have met an instance whose clock lags behind a refill. */
const fewestTurns = 3;

/**
 * Refused, then some admitted, then refused again: less than a whole request remained at both ends, so that what came back in between,
 * one whole refill at least, was used up. Readings are not needed. Of several such turns the third smallest counts.
 */
function byRefusals(view: GroupView): LargestRefill | null {
  const turns: LargestRefill[] = [];
  let early: LimitOp | null = null;
  let admitted = 0;
  for (const op of view.ops) {
    if (op.outcome === "admitted") admitted += 1;
    if (op.outcome !== "rejected" || !view.judgesRejection(op)) continue;
    if (early !== null && admitted > 0) {
      const possible = view.contenders.possible(early.sentMs, op.headersMs) - 2;
      turns.push({ units: possible + 2, shownBy: [early, op] });
    }
    early = op;
    admitted = 0;
  }
  return turns.sort((a, b) => a.units - b.units)[fewestTurns - 1] ?? null;
}
