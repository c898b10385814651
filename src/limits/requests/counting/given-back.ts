import { createRangeMost } from "../../history/range-most.ts";
import { countBelow, countUpTo } from "../../history/sorted.ts";
import { ratePerMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { largestRefill, type LargestRefill } from "./largest-refill.ts";
import { createWeighedPhases } from "./weighed-phases.ts";

export interface NotGivenBack {
  readonly early: LimitOp;
  readonly late: LimitOp;
  readonly missing: number;
  /** The most that any lawful limiter still counts. */
  readonly counted: number;
  readonly refill: LargestRefill;
}

/**
 * A reading that misses more, against an earlier one, than every lawful limiter can still count of what came since: windows and logs
 * count one window back, a bucket what it has not refilled, a counter that weighs the window before whatever its phase leaves, if the
 * readings in between fit that phase. Nothing was refused meanwhile, since some limiters count that as well. O(n log n) beside the
 * phases of windows.
 */
export function findNotGivenBack(view: GroupView, readings: readonly LimitOp[], margin: number): NotGivenBack | null {
  const { limit, tolerances, contenders } = view;
  if (limit === null) return null;
  const { windowMs, granularityMs, fuzzMs, virtualLagMs } = tolerances;
  const slackMs = granularityMs + fuzzMs + virtualLagMs;
  const refill = largestRefill(view);
  const others = view.ops.filter(({ outcome }) => outcome !== "admitted");
  const answered = [...readings].filter(({ headersMs }) => Number.isFinite(headersMs)).sort((a, b) => a.headersMs - b.headersMs);
  const stillMissing = missingInBucket(view, refill.units);
  const phases = createWeighedPhases(view, { readings, answered, slackMs, margin });
  let disturbed = 0;
  let disturbedMs = Number.NEGATIVE_INFINITY;
  let next = 0;
  let best: LimitOp | null = null;
  for (const late of readings) {
    while (disturbed < others.length && others[disturbed]!.sentMs <= late.headersMs) {
      disturbedMs = Math.max(disturbedMs, others[disturbed]!.headersMs);
      best = null;
      disturbed += 1;
    }
    while (next < answered.length && answered[next]!.headersMs < late.sentMs) {
      const op = answered[next++]!;
      // A request that was decided before a refusal was answered may have been counted before it.
      if (op.sentMs <= disturbedMs) continue;
      if (best === null || op.requests.remaining! > best.requests.remaining!) best = op;
    }
    if (best === null) continue;
    const missing = best.requests.remaining! - late.requests.remaining!;
    const lastWindow = contenders.possible(Math.max(best.sentMs, late.sentMs - windowMs - slackMs), late.headersMs);
    if (missing <= lastWindow + margin) continue;
    const inBucket = stillMissing(best, late);
    if (missing <= inBucket + margin || phases.explains(best, late, missing - margin)) continue;
    const counted = Math.max(lastWindow, inBucket, phases.most(best, late));
    return { early: best, late, missing, counted, refill };
  }
  return null;
}

/**
 * Of a bucket of any size, full or not at the earlier reading: the most that requests up to the later one outran the refill. Requests
 * that were under way already at the earlier reading count as if they had come with it. O(log n) each.
 */
function missingInBucket(view: GroupView, batch: number): (early: LimitOp, late: LimitOp) => number {
  const { tolerances, contenders } = view;
  const rate = ratePerMs(view.limit!, tolerances) / (1 + 2 * tolerances.rateRatio);
  const starts = view.ops.map(({ sentMs }) => sentMs);
  const mostSince = createRangeMost(starts.map((ms, index) => rate * ms - index));
  return (early, late) => {
    const refilledMs = late.sentMs - tolerances.fuzzMs;
    const until = countUpTo(starts, late.headersMs);
    const from = countBelow(starts, early.sentMs);
    // Up to here one refill at least has come since; of those after it the first has the most behind it.
    const old = Math.min(until, Math.max(from, countBelow(starts, refilledMs - batch / rate)));
    const outran = until - rate * refilledMs + batch + mostSince(from, old);
    const since = contenders.possible(early.sentMs, late.headersMs);
    const underWay = since > until - from ? since - Math.max(0, rate * Math.max(0, refilledMs - early.sentMs) - batch) : 0;
    return Math.max(0, outran, until - old, underWay);
  };
}
