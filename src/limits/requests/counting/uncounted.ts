import { accused, type Check, type CheckHead } from "../../verdict/check.ts";
import { ratePerMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";
import { ascending, countBelow, countUpTo } from "../../../core/sorted.ts";
import { createFadedBetween } from "./faded-between.ts";
import { hasNoWindows } from "../../history/names-no-window.ts";
import { largestRefill } from "./largest-refill.ts";

/**
 * If labels move with every request, no window holds many of them. Two readings then: from the earlier one to the later, which
 * came before the reset that the earlier names or where labels name no windows at all, at most so much came back as the average
 * rate and one refill bring, what fades of a window before, and what was admitted a window ago. Every further admission that
 * did not lower remaining was not counted. O(n log n).
 */
export function findUncounted(view: GroupView, head: CheckHead): Check | null {
  const { limit, offset, tolerances, admitted } = view;
  if (limit === null || offset === null || offset.split || !view.exclusive) return null;
  const hidden = 2 * (roundingOf(admitted, limit) - 1);
  const { windowMs, granularityMs, fuzzMs, clockMs } = tolerances;
  const readings = admitted.filter((op) => op.requests.remaining !== null && op.requests.limit === limit);
  const starts = ascending(admitted.map((op) => op.sentMs));
  const ends = ascending(admitted.map((op) => op.headersMs));
  const answered = readings.filter((op) => op.requests.resetMs !== null && Number.isFinite(op.headersMs));
  answered.sort((a, b) => a.headersMs - b.headersMs);
  const rate = ratePerMs(limit, tolerances);
  const refill = largestRefill(view);
  const endsNowhere = hasNoWindows(view);
  const fadedBetween = createFadedBetween(view);
  let next = 0;
  let best: { readonly op: LimitOp; readonly value: number } | null = null;
  for (const late of readings) {
    while (next < answered.length && answered[next]!.headersMs < late.sentMs) {
      const op = answered[next++]!;
      const value = op.requests.remaining! + countUpTo(starts, op.headersMs) - rate * op.sentMs;
      if (best === null || value < best.value) best = { op, value };
    }
    if (best === null) continue;
    const early = best.op;
    // The reading with the least room may name a reset that has passed: then nothing can be said from it.
    if (!endsNowhere && late.headersMs + offset.highMs >= early.requests.resetMs! - granularityMs - clockMs - fuzzMs) {
      best = null;
      continue;
    }
    const between = countBelow(ends, late.sentMs) - countUpTo(starts, early.headersMs) + 1;
    const fell = early.requests.remaining! - late.requests.remaining!;
    const spanMs = late.headersMs - early.sentMs + fuzzMs;
    const average = Math.ceil(rate * spanMs);
    const slackMs = granularityMs + fuzzMs;
    if (between - fell <= average + refill.units + 2 + hidden || view.knownFromMs > early.sentMs - windowMs - slackMs) continue;
    const left = view.contenders.possible(early.sentMs - windowMs - slackMs, late.headersMs - windowMs + slackMs);
    const renewed = Math.max(average, fadedBetween(early, spanMs)) + refill.units + 2 + hidden + left;
    if (between - fell <= renewed) continue;
    const missing = between - fell - renewed;
    const seconds = ((late.headersMs - early.sentMs) / 1000).toFixed(1);
    const direction = fell >= 0 ? `fell by ${fell}` : `rose by ${-fell}`;
    return accused(head, readings.length, "fail", {
      kind: "uncounted",
      message: `#${early.seq} shows ${early.requests.remaining} remaining${endsNowhere ? `; #${late.seq}` : ` and a reset that is still ahead at #${late.seq}, which`} shows ${late.requests.remaining}; in these ${seconds} s ${between} more requests were admitted and remaining ${direction}. A limit of ${limit} in ${windowMs / 1000} s gives back ${renewed} at most meanwhile, however it refills: ${missing} ${missing === 1 ? "was" : "were"} not counted, or came back too early`,
      rule: "Every admitted request lowers remaining by one, and what comes back meanwhile comes at the rate of the limit.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-requests, x-ratelimit-reset-requests)",
      ops: [early, late, ...(refill.shownBy ?? [])],
      parameters: { limit, between, fell, renewed, left, offsetHighMs: offset.highMs },
      correct: `remaining at most ${early.requests.remaining! - between + renewed} at #${late.seq}, or some of these requests are rejected`,
      expected: `remaining at most ${early.requests.remaining! - between + renewed}`,
      observed: `remaining ${late.requests.remaining}`,
    });
  }
  return null;
}
