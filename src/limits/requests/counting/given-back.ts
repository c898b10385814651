import { ratePerMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { largestRefill, type LargestRefill } from "./largest-refill.ts";

export interface NotGivenBack {
  readonly early: LimitOp;
  readonly late: LimitOp;
  readonly missing: number;
  /** The most that any lawful limiter still counts. */
  readonly counted: number;
  readonly refill: LargestRefill;
}

/** Steps in which the begin of a window of the clock is tried, ms. */
const stepMs = 500;

/** Readings between the two, above which not every one of them is searched for in every phase. */
const mostLookedAt = 300;

/**
 * A reading that misses more, against an earlier one, than every lawful limiter can still count of what came since: windows and logs
 * count one window back, a bucket what it has not refilled, a counter that weighs the window before whatever its phase leaves, if the
 * readings in between fit that phase. Nothing was refused meanwhile, since some limiters count that as well.
 */
export function findNotGivenBack(view: GroupView, readings: readonly LimitOp[], margin: number): NotGivenBack | null {
  const { limit, tolerances, contenders } = view;
  if (limit === null) return null;
  const { windowMs, granularityMs, fuzzMs, virtualLagMs } = tolerances;
  const slackMs = granularityMs + fuzzMs + virtualLagMs;
  const refill = largestRefill(view);
  const others = view.ops.filter(({ outcome }) => outcome !== "admitted");
  let disturbed = 0;
  let next = 0;
  let best: LimitOp | null = null;
  const answered = [...readings].filter(({ headersMs }) => Number.isFinite(headersMs)).sort((a, b) => a.headersMs - b.headersMs);
  for (const late of readings) {
    while (disturbed < others.length && others[disturbed]!.sentMs <= late.headersMs) {
      best = null;
      next = answered.findIndex(({ sentMs }) => sentMs > others[disturbed]!.headersMs);
      if (next < 0) return null;
      disturbed += 1;
    }
    while (next < answered.length && answered[next]!.headersMs < late.sentMs) {
      const op = answered[next++]!;
      if (best === null || op.requests.remaining! > best.requests.remaining!) best = op;
    }
    if (best === null) continue;
    const missing = best.requests.remaining! - late.requests.remaining!;
    const lastWindow = contenders.possible(Math.max(best.sentMs, late.sentMs - windowMs - slackMs), late.headersMs);
    if (missing <= lastWindow + margin) continue;
    const since = view.ops.filter((op) => op.headersMs >= best!.sentMs && op.sentMs <= late.headersMs);
    const counted = Math.max(
      lastWindow,
      stillMissing(view, since, late, refill.units),
      stillWeighed(view, readings, best, late, { slackMs, margin }),
    );
    if (missing > counted + margin) return { early: best, late, missing, counted, refill };
  }
  return null;
}

/** Of a bucket of any size, full or not at the earlier reading: the most that requests up to the later one outran the refill. */
function stillMissing(view: GroupView, since: readonly LimitOp[], late: LimitOp, batch: number): number {
  const { tolerances } = view;
  const rate = ratePerMs(view.limit!, tolerances) / (1 + 2 * tolerances.rateRatio);
  const newestFirst = [...since].sort((a, b) => b.sentMs - a.sentMs);
  return newestFirst.reduce((most, op, index) => {
    const refilled = rate * Math.max(0, late.sentMs - op.sentMs - tolerances.fuzzMs) - batch;
    return Math.max(most, index + 1 - Math.max(0, refilled));
  }, 0);
}

/** Of a counter of two windows, wherever the present one began, unless a reading shows more than that phase leaves. */
function stillWeighed(
  view: GroupView,
  readings: readonly LimitOp[],
  early: LimitOp,
  late: LimitOp,
  { slackMs, margin }: { readonly slackMs: number; readonly margin: number },
): number {
  const { windowMs } = view.tolerances;
  const limit = view.limit!;
  const possibly = (fromMs: number, toMs: number): number => view.contenders.possible(fromMs, toMs);
  /** Requests that the earlier reading already misses are counted somewhere as well. */
  const missed = limit - early.requests.remaining!;
  const within = readings
    .filter((op) => op.sentMs > early.headersMs && op.sentMs <= late.sentMs)
    .toSorted((one, other) => one.sentMs - other.sentMs);
  const byAnswer = within.toSorted((one, other) => one.headersMs - other.headersMs);
  const looksClosely = within.length <= mostLookedAt;
  /**
   * The least that the window before `beginMs` admitted: a reading in it counts that window, and the part that it carried over
   * from the one before.
   */
  const admittedBefore = (beginMs: number): number =>
    within.reduce((least, op) => {
      if (op.sentMs < beginMs - windowMs + slackMs || op.headersMs > beginMs - slackMs) return least;
      const share = Math.min(1, 1 - (op.sentMs - beginMs + windowMs - slackMs) / windowMs);
      const counted = limit - op.requests.remaining! - margin - share * (possibly(early.sentMs, op.headersMs) + missed);
      return share < 1 ? Math.max(least, counted / (1 - share)) : least;
    }, 0);
  let most = 0;
  for (let beginMs = late.headersMs; beginMs > late.sentMs - windowMs - slackMs; beginMs -= stepMs) {
    const [beforeFromMs, beforeToMs, fromMs] = [beginMs - windowMs + slackMs, beginMs - slackMs, beginMs + slackMs];
    const certainlyBefore = within.filter((op) => op.sentMs > beforeFromMs && op.headersMs < beforeToMs).length;
    const known = Math.max(certainlyBefore, looksClosely ? admittedBefore(beginMs) : 0);
    const possiblyBefore = possibly(early.sentMs, fromMs);
    const since = byAnswer.filter((op) => op.sentMs > fromMs);
    // Both lists go forward in time: a search for each reading would take a minute where a thousand were refused nothing.
    let answered = 0;
    const fits = within.every((op) => {
      while (answered < since.length && since[answered]!.headersMs < op.sentMs) answered += 1;
      if (op.sentMs < fromMs || op.sentMs > beginMs + windowMs) return true;
      const share = Math.max(0, 1 - (op.headersMs - beginMs + slackMs) / windowMs);
      if (op.requests.remaining! > limit - answered - known * share + 2) return false;
      if (!looksClosely) return true;
      // Nor may a reading in between miss more than this phase counts.
      const leastShare = Math.min(1, Math.max(0, 1 - (op.sentMs - fromMs) / windowMs));
      const counted = possibly(beginMs - slackMs, op.headersMs) + leastShare * possiblyBefore + missed;
      return limit - op.requests.remaining! <= counted + margin;
    });
    if (!fits) continue;
    const before = view.contenders.possible(Math.max(early.sentMs, beginMs - windowMs - slackMs), beginMs + slackMs);
    const now = view.contenders.possible(Math.max(early.sentMs, beginMs - slackMs), late.headersMs);
    most = Math.max(most, now + before * Math.min(1, Math.max(0, 1 - (late.sentMs - beginMs - slackMs) / windowMs)));
  }
  return most;
}
