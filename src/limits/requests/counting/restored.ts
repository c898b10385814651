import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { roundingOf, describeCoarseness } from "../../history/rounding.ts";
import { findNotGivenBack, type NotGivenBack } from "./given-back.ts";

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
