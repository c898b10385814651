import { ratePerMs, type GroupView } from "../exam/check.ts";
import { roundingOf } from "../history/rounding.ts";
import type { LimitOp } from "../history/op.ts";
import { coarsestBatchMs } from "./coarsest-batch.ts";

export interface LargestRefill {
  readonly units: number;
  /** The two requests that show it, for the certificate; null: the average rate over the coarsest batch. */
  readonly shownBy: readonly [LimitOp, LimitOp] | null;
}

/** What the average rate brings in the coarsest batch. */
export function coarsestRefill({ limit, tolerances }: GroupView): number {
  return limit === null ? Number.POSITIVE_INFINITY : Math.ceil(ratePerMs(limit, tolerances) * coarsestBatchMs);
}

/**
 * The most that one refill of a lawful bucket brings back: what the average rate does in the coarsest batch, or less where the record
 * shows so. Between two admitted requests, alone and one after the other, more came to remain than was taken; if that was a refill it
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
  return least;
}
