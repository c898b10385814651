import { accused, type Check, type CheckHead } from "../../verdict/check.ts";
import { ratePerMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import { readsCounter, type LimitOp } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";
import { ascending, countUpTo } from "../../../core/sorted.ts";
import { createFadedBetween } from "./faded-between.ts";
import { hasNoWindows } from "../../history/names-no-window.ts";
import { largestRefill } from "./largest-refill.ts";

/**
 * A response says how many requests remain; before the reset that it names, or where labels name no windows, more that were sent after it are admitted than remained and
 * than any refill or sliding window can have brought back meanwhile. Shows races at the end of an allowance that refills, where
 * no label stays. O(n log n).
 */
export function checkMoreThanRemained(view: GroupView, head: CheckHead): Check | null {
  const { limit, offset, tolerances } = view;
  if (limit === null || offset === null || offset.split || !view.exclusive || roundingOf(view.admitted, limit) > 1) return null;
  const { windowMs, granularityMs, fuzzMs, clockMs } = tolerances;
  const rate = ratePerMs(limit, tolerances);
  const batch = largestRefill(view);
  const endsNowhere = hasNoWindows(view);
  const admitted = view.answered.filter((op) => op.outcome === "admitted");
  const starts = ascending(admitted.map((op) => op.sentMs));
  const readings = view.answered.filter(
    (op) => op.requests.remaining !== null && op.requests.resetMs !== null && op.requests.limit === limit && readsCounter(op),
  );
  const fadedBetween = createFadedBetween(view);
  let next = 0;
  let best: { readonly op: LimitOp; readonly value: number } | null = null;
  for (const [index, late] of admitted.entries()) {
    while (next < readings.length && readings[next]!.headersMs + fuzzMs < late.sentMs) {
      const op = readings[next++]!;
      const value = op.requests.remaining! + countUpTo(starts, op.headersMs + fuzzMs) - rate * op.sentMs;
      if (best === null || value < best.value) best = { op, value };
    }
    if (best === null) continue;
    const early = best.op;
    if (!endsNowhere && late.headersMs + offset.highMs >= early.requests.resetMs! - granularityMs - clockMs) {
      best = null;
      continue;
    }
    const more = index + 1 - countUpTo(starts, early.headersMs + fuzzMs) - early.requests.remaining!;
    const spanMs = late.headersMs - early.sentMs;
    const reachMs = early.sentMs - windowMs - granularityMs - fuzzMs;
    // A reading hides less than one whole request.
    const average = Math.floor(rate * (spanMs + fuzzMs) + 1);
    if (more <= average + batch.units || view.knownFromMs > reachMs) continue;
    const slid = view.contenders.possible(reachMs, late.headersMs - windowMs + granularityMs + fuzzMs);
    const lawful = Math.max(average, fadedBetween(early, spanMs) + 1) + batch.units + slid;
    if (more <= lawful) continue;
    const members = admitted.filter((op) => op.sentMs > early.headersMs + fuzzMs && op.headersMs <= late.headersMs);
    return accused(head, admitted.length, "fail", {
      kind: "more-than-remained",
      message: `#${early.seq} shows ${early.requests.remaining} remaining; ${members.length} requests sent after it (#${members[0]!.seq} to #${late.seq}) were admitted within ${(spanMs / 1000).toFixed(1)} s, ${endsNowhere ? "and its labels are those of no window" : "before the reset that it names"}. A limit of ${limit} gives back ${lawful} at most meanwhile, however it refills or slides`,
      rule: "No more requests are admitted than remain and come back.",
      spec: "Limits > Rate limits (x-ratelimit-limit-requests, x-ratelimit-remaining-requests)",
      ops: [early, ...members, ...(batch.shownBy ?? [])],
      parameters: { limit, lawful, count: members.length, offsetHighMs: offset.highMs, batch: batch.units },
      correct: `429 for at least ${more - lawful} of them`,
      expected: `at most ${early.requests.remaining! + lawful} admitted`,
      observed: `${members.length} admitted`,
    });
  }
  return null;
}
