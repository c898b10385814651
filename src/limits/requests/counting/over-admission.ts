import { groupBy } from "../../../core/group-by.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import { ratePerMs, coarsestBatchMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import { type LimitOp, describeSpan } from "../../history/op.ts";
import { roundingOf } from "../../history/rounding.ts";
import { countsWithin } from "../../history/counts-within.ts";
import { ascending, countBelow, countUpTo } from "../../../core/sorted.ts";
import { checkMoreThanRemained } from "./more-than-remained.ts";
import { carriedByReadings, findEpochs, ownCount, type Epoch } from "./epochs.ts";

const spec = "Limits > Rate limits (x-ratelimit-limit-requests)";

const overHead: CheckHead = checkHead("limits.over-admission");

/** Two windows of any algorithm may touch a span of one window: more than limit * (1 + span / window) fits none of them. */
function overBound(limit: number, spanMs: number, windowMs: number): number {
  return limit * (1 + Math.ceil(spanMs / windowMs));
}

/** Family-free over-admission: needs neither labels nor `remaining`; two pointers, O(n). */
export function checkOverAdmission(view: GroupView): Check {
  const { limit, tolerances } = view;
  if (limit === null) return inconclusive(overHead, 0, "no readable limit");
  if (view.admitted.length <= limit) {
    return inconclusive(
      overHead,
      view.admitted.length,
      `${view.admitted.length} requests were admitted in all, not more than the limit of ${limit}`,
    );
  }
  const answered = view.answered.filter((op) => op.outcome === "admitted");
  // Widest excess over spans that end with an answer: for each multiple of the window, a pointer that trails behind.
  for (let windows = 1; windows <= 4; windows += 1) {
    const spanMs = windows * tolerances.windowMs * (1 - tolerances.driftRatio) - tolerances.granularityMs - 2 * tolerances.fuzzMs;
    const bound = overBound(limit, windows * tolerances.windowMs, tolerances.windowMs);
    const members = densest(answered, spanMs, bound);
    if (members) return accuseOver(view, members, spanMs, bound);
  }
  const labelled =
    checkLabelledWindows(view) ??
    checkBeforeWait(view) ??
    checkBetweenRefusals(view, overHead) ??
    checkMoreThanRemained(view, overHead);
  if (labelled !== null) return labelled;
  // Traffic that never reached the limit, and never asked for more than two windows hold, could not have shown an excess.
  const demand = view.rejected.length > 0 ? Number.POSITIVE_INFINITY : mostSentWithin(view.ops, tolerances.windowMs);
  if (demand <= 2 * limit) {
    const message = `at most ${demand} requests were sent within a window and none was rejected: an excess over ${limit} could not have been seen`;
    return inconclusive(overHead, view.admitted.length, message);
  }
  return passed(overHead, view.admitted.length, `no span holds more than any lawful window allows (limit ${limit})`);
}

/** Two pointers over the send instants. */
function mostSentWithin(ops: readonly LimitOp[], spanMs: number): number {
  let most = 0;
  let first = 0;
  for (const [last, { sentMs }] of ops.entries()) {
    while (ops[first]!.sentMs < sentMs - spanMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}

/** The first `bound` + 1 requests that certainly fall into one span, or null. */
function densest(answered: readonly LimitOp[], spanMs: number, bound: number): readonly LimitOp[] | null {
  const last = countsWithin(answered, spanMs).findIndex((count) => count > bound);
  if (last < 0) return null;
  const fromMs = answered[last]!.headersMs - spanMs;
  return answered.slice(0, last + 1).filter((op) => op.sentMs >= fromMs);
}

function accuseOver(view: GroupView, members: readonly LimitOp[], spanMs: number, bound: number): Check {
  return accused(overHead, view.admitted.length, "fail", {
    kind: "over-admission",
    message: `${members.length} requests (#${members[0]!.seq} to #${members.at(-1)!.seq}) were sent and admitted within ${describeSpan(members)}; with a limit of ${view.limit} no window algorithm admits more than ${bound} in any ${Math.round(spanMs / 1000)} s`,
    rule: "The limit is the most requests of one window; two neighbouring windows hold at most twice that.",
    spec,
    ops: members,
    parameters: { limit: view.limit, windowMs: view.tolerances.windowMs, spanMs, bound, count: members.length },
    correct: `429 for at least ${members.length - bound} of these requests`,
    expected: `at most ${bound} admitted`,
    observed: `${members.length} admitted`,
  });
}

interface Overfull {
  readonly ops: readonly LimitOp[];
  readonly renewal: number;
  readonly message: string;
}

function accuseWindow(view: GroupView, { resetMs }: Epoch, { ops, renewal, message }: Overfull): Check {
  const limit = view.limit!;
  const count = ops.length;
  const beyond = count - limit - renewal;
  return accused(overHead, view.admitted.length, "fail", {
    kind: "over-window",
    message,
    rule: "No more requests than the stated limit are admitted in the window that the responses themselves name.",
    spec,
    ops: ops.slice(0, limit + renewal + 1),
    parameters: { limit, renewal, resetMs, resetSeconds: resetMs / 1000, count },
    lawfulAlternative: `429 for the last ${beyond === 1 ? "" : `${beyond} `}of them`,
    expected: `at most ${limit + renewal} admitted`,
    observed: `${count} admitted`,
  });
}

/** More than `limit` admitted requests state one and the same window, and nothing can have been renewed within it. */
function checkLabelledWindows(view: GroupView): Check | null {
  const limit = view.limit!;
  const unlabelledIn = unlabelledWithin(view);
  for (const epoch of findEpochs(view)) {
    const whole = accuseWholeWindow(view, epoch);
    if (whole !== null) return whole;
    const general = renewalWithin(view, epoch);
    const renewal = epoch.anchored && view.exclusive ? Math.min(general, epoch.carried) : general;
    const unlabelled = epoch.anchored ? unlabelledIn(epoch) : [];
    const count = epoch.ops.length + unlabelled.length;
    if (count <= limit + renewal) continue;
    const apart = unlabelled.length === 0 ? "" : ` (${unlabelled.length} of them without any label, between others that name it)`;
    return accuseWindow(view, epoch, {
      ops: [...unlabelled, ...epoch.ops],
      renewal,
      message: `${count} requests were sent and admitted within ${describeSpan([...unlabelled, ...epoch.ops])}; their answers name one window, that ends at ${epoch.resetMs / 1000} (Unix seconds)${apart}. It holds ${limit}${renewal > 0 ? ` and ${renewal} that may have come back meanwhile` : ""}: a correct limiter of any kind refuses ${count - limit - renewal} of them with 429`,
    });
  }
  return null;
}

/**
 * All that name the label of an anchored epoch, the first of them included: each of those shows that it is counted already. They may
 * still have been decided in the window before, where a counter that weighs that window lets go of a part of them, and of nothing more.
 */
function accuseWholeWindow(view: GroupView, epoch: Epoch): Check | null {
  const limit = view.limit!;
  const { tolerances } = view;
  const late = [...epoch.late].sort((a, b) => a.headersMs - b.headersMs);
  const [first] = late;
  if (first === undefined || !epoch.anchored || !view.exclusive || roundingOf(view.admitted, limit) > 1) return null;
  const ops = [...late, ...epoch.ops];
  // Every reading up to the limit counts all that were answered before it: where an instance began anew, one does not.
  const ends = ascending(ops.map((op) => op.headersMs));
  const countsAll = (op: LimitOp): boolean => {
    const before = countBelow(ends, op.sentMs);
    return before >= limit || op.requests.remaining! < limit - before;
  };
  if (ownCount(view) === 0 || !ops.every(countsAll)) return null;
  const firstMs = Math.min(...late.map((op) => op.sentMs));
  const reachMs = firstMs - 2 * tolerances.windowMs - tolerances.granularityMs;
  const seen = view.contenders.possible(reachMs, firstMs - 1e-6);
  const carried = Math.min(view.knownFromMs <= reachMs ? seen : Number.POSITIVE_INFINITY, carriedByReadings(ops, limit, 1));
  const endMs = ops.reduce((most, op) => Math.max(most, op.headersMs), firstMs);
  const faded = Math.floor(
    (late.length * (endMs - firstMs + tolerances.granularityMs + tolerances.fuzzMs)) / tolerances.windowMs,
  );
  const renewal = carried + faded;
  if (ops.length <= limit + renewal) return null;
  return accuseWindow(view, epoch, {
    ops,
    renewal,
    message: `${ops.length} requests (#${first.seq} to #${ops.at(-1)!.seq}) were sent and admitted within ${describeSpan(ops)}, and the answer of each names the window that ends at ${epoch.resetMs / 1000} (Unix seconds); what remained counted each of them from the first on, so that all are of that window, and the limit is ${limit}: a correct limiter of any kind refuses ${ops.length - limit - renewal} of them with 429`,
  });
}

/** Admitted without any label after one answer that names the window of the epoch, and before another one, refusals included. */
function unlabelledWithin({ admitted, rejected }: GroupView): (epoch: Epoch) => readonly LimitOp[] {
  const unlabelled = admitted.filter(({ requests }) => requests.resetMs === null);
  if (unlabelled.length === 0) return () => [];
  const starts = unlabelled.map(({ sentMs }) => sentMs);
  const naming = groupBy(
    rejected.filter(({ headersMs }) => Number.isFinite(headersMs)),
    ({ requests }) => requests.resetMs,
  );
  return ({ resetMs, ops }) => {
    const firstMs = ops.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
    const lastMs = [...(naming.get(resetMs) ?? []), ...ops].reduce((most, op) => Math.max(most, op.sentMs), firstMs);
    return unlabelled.slice(countUpTo(starts, firstMs), countBelow(starts, lastMs)).filter((op) => op.headersMs < lastMs);
  };
}

/**
 * If no answer names a window, a long wait does: a window that ends when the wait does began one length before. Of other
 * limiters no span of a window holds more than the limit and what refills. A wait of less than half a window may be that of a
 * second, shorter limit.
 */
function checkBeforeWait(view: GroupView): Check | null {
  const { tolerances, admitted } = view;
  const limit = view.limit!;
  if (!view.unstated) return null;
  const starts = admitted.map(({ sentMs }) => sentMs);
  const slackMs = tolerances.granularityMs + tolerances.fuzzMs + 1000;
  for (const refused of view.rejected) {
    const waitMs = (refused.retry?.seconds ?? 0) * 1000;
    if (waitMs < tolerances.windowMs / 2 || waitMs > tolerances.windowMs + 1000 || !view.judgesRejection(refused)) continue;
    const beganMs = refused.headersMs + waitMs - tolerances.windowMs + slackMs;
    const [from, until] = [countUpTo(starts, beganMs), countBelow(starts, refused.sentMs)];
    // As many as the limit are lawful, whatever refills beside them.
    if (until - from <= limit) continue;
    const members = admitted.slice(from, until).filter((op) => op.headersMs < refused.sentMs);
    const first = members[0];
    if (first === undefined) continue;
    const refill = Math.ceil(ratePerMs(limit, tolerances) * (refused.sentMs - first.sentMs + coarsestBatchMs)) + 1;
    if (members.length <= limit + refill) continue;
    return accused(overHead, admitted.length, "fail", {
      kind: "over-before-wait",
      message: `${members.length} requests were admitted after #${first.seq} and before #${refused.seq}, which was refused with a wait of ${waitMs / 1000} s: they fall into the window that ends with that wait; with a limit of ${limit} it holds ${limit}, a bucket that refills ${limit + refill}, and a correct limiter of any kind refuses the rest with 429`,
      rule: "The limit is the most requests of one window, and the wait ends when the window does.",
      spec,
      ops: [refused, ...members.slice(0, limit + refill + 1)],
      parameters: { limit, refill, windowMs: tolerances.windowMs, waitMs },
      lawfulAlternative: `429 for ${members.length - limit} of them`,
      expected: `at most ${limit + refill} admitted`,
      observed: `${members.length} admitted`,
    });
  }
  return null;
}

function renewalWithin(view: GroupView, epoch: Epoch): number {
  const spanMs = epoch.ops.at(-1)!.headersMs - epoch.ops[0]!.sentMs + view.tolerances.granularityMs;
  return Math.ceil(ratePerMs(view.limit!, view.tolerances) * spanMs) + 1;
}

/**
 * If no answer says how much remains, refusals show it: one refusal, more admissions than any refill or sliding window brings
 * back, another refusal, and fewer requests than the limit in all, so that no window began in between. Shows a way in that is
 * not counted, as streams may be. A wait of less than half a window may be that of a second, shorter limit. O(n log n).
 */
function checkBetweenRefusals(view: GroupView, head: CheckHead): Check | null {
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
