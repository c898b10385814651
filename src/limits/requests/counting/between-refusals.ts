import { describeSpan } from "../../history/op.ts";
import { coarsestBatchMs, ratePerMs } from "../../history/tolerances.ts";
import { accused, type Check, type CheckHead } from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import { countBelow } from "../../history/sorted.ts";

/**
 * If no answer says how much remains, refusals show it: one refusal, more admissions than any refill or sliding window brings
 * back, another refusal, and fewer requests than the limit in all, so that no window began in between. Shows a way in that is
 * not counted, as streams may be. A wait of less than half a window may be that of a second, shorter limit. O(n log n).
 */
export function checkBetweenRefusals(view: GroupView, head: CheckHead): Check | null {
  const { limit, tolerances, exclusive } = view;
  if (!view.unstated || limit === null || !exclusive) return null;
  const { windowMs, granularityMs, fuzzMs } = tolerances;
  const refused = view.rejected.filter(
    (op) => (op.retry?.seconds ?? 0) * 1000 >= windowMs / 2 && view.judgesRejection(op) && Number.isFinite(op.headersMs),
  );
  const byAnswer = [...refused].sort((a, b) => a.headersMs - b.headersMs);
  const answers = byAnswer.map(({ headersMs }) => headersMs);
  const admitted = view.answered.filter((op) => op.outcome === "admitted");
  const ends = admitted.map(({ headersMs }) => headersMs);
  const fewest = Math.ceil(ratePerMs(limit, tolerances) * coarsestBatchMs) + 2;
  for (const late of refused) {
    // The fewest that could be too many, and the last refusal before them.
    const until = countBelow(ends, late.sentMs);
    if (until < fewest) continue;
    const fromMs = Math.min(...admitted.slice(until - fewest, until).map(({ sentMs }) => sentMs));
    const early = byAnswer[countBelow(answers, fromMs) - 1];
    if (early === undefined) continue;
    const spanMs = late.headersMs - early.sentMs;
    if (spanMs > windowMs / 4 || view.consumers.possible(early.sentMs, late.headersMs) >= limit) continue;
    const reachMs = early.sentMs - windowMs - granularityMs - fuzzMs;
    if (view.knownFromMs > reachMs - windowMs) continue;
    const slid = view.contenders.possible(reachMs, late.headersMs - windowMs + granularityMs + fuzzMs);
    const faded = Math.ceil((view.contenders.possible(reachMs - windowMs, early.headersMs) * spanMs) / windowMs);
    const refill = Math.ceil(ratePerMs(limit, tolerances) * (spanMs + coarsestBatchMs)) + 1;
    const lawful = Math.max(refill, faded + 1) + slid;
    const members = admitted.filter((op) => op.sentMs > early.headersMs && op.headersMs < late.sentMs);
    if (members.length <= lawful) continue;
    const kinds = members.every(({ streamed }) => streamed) && !early.streamed ? "streams" : "requests";
    return accused(head, view.admitted.length, "fail", {
      kind: "between-refusals",
      message: `#${early.seq} was refused, then ${members.length} ${kinds} (#${members[0]!.seq} to #${members.at(-1)!.seq}) were admitted within ${describeSpan(members)}, and #${late.seq} was refused again: no window began in between, and a limit of ${limit} gives back ${lawful} at most meanwhile. A correct limiter of any kind refuses ${members.length - lawful} of them with 429`,
      rule: "While the allowance is used up no more requests are admitted than come back.",
      spec: "Limits > Rate limits",
      ops: [early, ...members, late],
      parameters: { limit, lawful, slid, faded },
      lawfulAlternative: `429 for at least ${members.length - lawful} of them`,
      expected: `at most ${lawful} admitted`,
      observed: `${members.length} admitted`,
    });
  }
  return null;
}
