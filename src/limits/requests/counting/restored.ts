import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { roundingOf, describeCoarseness } from "../../history/rounding.ts";
import { createRangeMost } from "../../history/range-most.ts";
import { countBelow, countUpTo } from "../../../core/sorted.ts";
import { ratePerMs } from "../../history/tolerances.ts";
import { largestRefill, type LargestRefill } from "./largest-refill.ts";
import { createWeighedPhases } from "./weighed-phases.ts";

const head: CheckHead = checkHead("limits.remaining-not-restored");

/**
 * A lone request after two windows in which nothing was sent sees less remaining than an earlier one did under the same stated
 * limit. By then every window has ended, every entry has left and every bucket is full, whatever it holds: what an earlier
 * reading showed is there again. O(n).
 */
export function checkRestored(view: GroupView): Check {
  const { limit, tolerances } = view;
  const isReading = (op: LimitOp): boolean =>
    op.outcome === "admitted" && op.requests.remaining !== null && op.requests.limit === limit;
  const readings = view.ops.filter(isReading);
  if (limit === null || readings.length === 0) return inconclusive(head, 0, "no readable limit and remaining");
  if (!view.exclusive) return inconclusive(head, 0, "the key is not declared exclusive: others may have used the allowance");
  // A late reading may miss the request that carries it (O3), and some limiters round.
  const rounding = roundingOf(readings, limit);
  const margin = Math.max(2, rounding, Math.ceil(limit / 20));
  const answered = view.answered.filter(isReading);
  let considered = 0;
  let next = 0;
  let best: LimitOp | null = null;
  for (const late of readings) {
    const fromMs = late.sentMs - 2 * tolerances.windowMs - tolerances.granularityMs - tolerances.fuzzMs - tolerances.virtualLagMs;
    while (next < answered.length && answered[next]!.headersMs < fromMs) {
      const op = answered[next++]!;
      if (best === null || op.requests.remaining! > best.requests.remaining!) best = op;
    }
    if (best === null || view.knownFromMs > fromMs || view.contenders.possible(fromMs, late.headersMs) > 1) continue;
    considered += 1;
    const missing = best.requests.remaining! - late.requests.remaining!;
    if (missing <= margin) continue;
    return accused(head, considered, "fail", {
      kind: "not-restored",
      message: `#${late.seq} came after two whole windows in which nothing was sent and sees ${late.requests.remaining} remaining; #${best.seq} had seen ${best.requests.remaining} of the same limit`,
      rule: "What was used in windows that are over is not used up any more.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-requests, x-ratelimit-reset-requests)",
      ops: [best, late],
      parameters: { limit, missing, margin, fromMs },
      correct: `remaining ${best.requests.remaining}, as a limiter shows that nobody has used for two windows`,
      expected: `remaining about ${best.requests.remaining}`,
      observed: `remaining ${late.requests.remaining}`,
    });
  }
  const coarse = describeCoarseness(rounding, limit);
  if (coarse !== null) return inconclusive(head, considered, coarse);
  const kept = findNotGivenBack(view, readings, margin);
  if (kept !== null) return accuseKept(view, readings.length, kept, margin);
  return passed(head, considered, `${considered} requests after two silent windows found the whole allowance`);
}

function accuseKept(
  view: GroupView,
  considered: number,
  { early, late, missing, counted, refill }: NotGivenBack,
  margin: number,
): Check {
  const { limit } = view;
  const windowMs = view.tolerances.windowMs;
  const most = Math.ceil(counted);
  const seconds = ((late.sentMs - early.sentMs) / 1000).toFixed(1);
  return accused(head, considered, "fail", {
    kind: "not-given-back",
    message: `#${early.seq} shows ${early.requests.remaining} remaining; ${seconds} s later, after nothing was refused, #${late.seq} shows ${late.requests.remaining}, that is ${missing} fewer. By then the windows of ${windowMs / 1000} s before are over: a correct limiter of any kind counts at most ${most} of the requests in between`,
    rule: "What was used in windows that are over is not used up any more.",
    spec: "Limits > Rate limits (x-ratelimit-remaining-requests, x-ratelimit-reset-requests)",
    ops: [early, late, ...(refill.shownBy ?? [])],
    parameters: { limit, missing, counted: most, margin },
    expected: `remaining at least ${early.requests.remaining! - most}`,
    observed: `remaining ${late.requests.remaining}`,
  });
}

interface NotGivenBack {
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
function findNotGivenBack(view: GroupView, readings: readonly LimitOp[], margin: number): NotGivenBack | null {
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
