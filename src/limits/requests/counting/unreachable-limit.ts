import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";
import { accused, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import { mostWithin } from "./most-within.ts";

const head: CheckHead = checkHead("limits.limit-unreachable");

/**
 * A warning where the refusals that showed something left bound what a client is let in per window, and that is less than the stated limit:
 * it can never be used up. They are not those of a cooldown, which a key has as a whole: another endpoint served the same key meanwhile.
 */
export function checkUnreachableLimit(view: GroupView, others: readonly GroupView[]): Check | null {
  const { limit, exclusive } = view;
  if (limit === null || !exclusive) return null;
  const refused = view.rejected.filter((op) => view.isOtherLimit(op) && op.retry?.seconds != null);
  const served = others.filter(({ key }) => key === view.key).flatMap(({ admitted }) => admitted);
  const isCooldown = !refused.some((op) =>
    served.some(({ sentMs, headersMs }) => sentMs > op.headersMs && headersMs < endOfWait(op)),
  );
  if (isCooldown) return null;
  const round = roundsBetween(view, refused).find(({ most }) => most < limit) ?? fullestWindow(view, refused);
  if (round === null) return null;
  const seconds = view.tolerances.windowMs / 1000;
  return accused(head, refused.length, "advisory", {
    kind: "limit-unreachable",
    message: `the stated limit of ${limit} is out of reach: ${describeRound(round)}. A client that keeps the stated waits gets at most ${Math.floor(round.most)} requests through in ${seconds} s`,
    rule: "The stated limit is the number of requests that a window lets in.",
    spec: "Limits > Rate limits (x-ratelimit-limit-requests, x-ratelimit-remaining-requests)",
    ops: [round.first, round.last],
    parameters: { limit, count: round.count, most: round.most },
    correct: "the limit that is enforced, in the three fields",
    lawfulAlternative: "the stated limit is that of a longer window, and another limit that no field names holds in a minute",
    expected: `up to ${limit} requests in ${seconds} s`,
    observed: `at most ${Math.floor(round.most)}`,
  });
}

function describeRound({ first, last, count, endsWithWindow }: Round): string {
  return endsWithWindow
    ? `in each of two windows ${count} requests were let in at most, then #${first.seq} was refused with ${first.requests.remaining} remaining, #${last.seq} with ${last.requests.remaining}, and both say to wait until the window resets`
    : `at most ${count} requests were let in after the wait of #${first.seq} was over, then #${last.seq} was refused with ${last.requests.remaining} remaining and says to wait ${last.retry?.seconds} s`;
}

interface Round {
  /** Each stated wait ends with the window that the fields name: no more is let in within it. */
  readonly endsWithWindow: boolean;
  readonly first: LimitOp;
  readonly last: LimitOp;
  readonly count: number;
  /** Requests that a window holds if the next rounds are like this one. */
  readonly most: number;
}

/** A wait is stated in whole seconds, and a limiter that lets the next one in sooner rounds up: of a short wait little is left. */
const leastWaits = 5;

/**
 * The requests that were let in from a stated wait to a later refusal that no other request was under way with, and the rate that the wait
 * of that one makes of them for a client that needs no time to send: our own time is no property of the limiter. They are at least the most
 * that any such span let in, since a log that fills unevenly frees now few, now many. O(n log n) for each length of a wait.
 */
function roundsBetween(view: GroupView, refused: readonly LimitOp[]): readonly Round[] {
  const { windowMs, granularityMs, fuzzMs } = view.tolerances;
  const answered = [...refused].sort((a, b) => endOfWait(a) - endOfWait(b));
  const mostBySeconds = new Map<number, number>();
  const mostIn = (seconds: number): number => {
    const known = mostBySeconds.get(seconds) ?? mostWithin(view.admitted, seconds * 1000 + fuzzMs);
    mostBySeconds.set(seconds, known);
    return known;
  };
  let next = 0;
  const rounds: Round[] = [];
  for (const last of refused) {
    while (next < answered.length && endOfWait(answered[next]!) < last.sentMs) next += 1;
    const first = answered[next - 1];
    const seconds = last.retry?.seconds ?? 0;
    const leastWaitMs = seconds * 1000 - granularityMs;
    const isAlone = view.contenders.possible(last.sentMs, last.headersMs) === 1;
    if (first === undefined || !isAlone || leastWaitMs < leastWaits * granularityMs) continue;
    const count = Math.max(view.consumers.possible(first.sentMs, last.headersMs), mostIn(seconds));
    rounds.push({ endsWithWindow: false, first, last, count, most: (count * windowMs) / leastWaitMs + count });
  }
  return rounds;
}

/** Instants at which one label was seen that lie so far apart are those of a window that stands, ms. */
const standsMs = 5000;

/**
 * Two windows of which each named its end for a while and let in less than the limit before a request was refused alone, which is to wait
 * until that end: the other limit counts by the same windows, and nothing more is let in within them. null: there are no two. O(n log n).
 */
function fullestWindow(view: GroupView, refused: readonly LimitOp[]): Round | null {
  const { limit, offset, tolerances } = view;
  const { windowMs, clockMs, granularityMs } = tolerances;
  if (offset === null || limit === null) return null;
  const labels = labelsOf(view.ops);
  const found = new Map<number, { readonly last: LimitOp; readonly count: number }>();
  for (const last of refused) {
    const { resetMs } = last.requests;
    if (resetMs === null || view.contenders.possible(last.sentMs, last.headersMs) !== 1) continue;
    const [endMs, latestMs] = [resetMs - offset.highMs - clockMs, resetMs - offset.lowMs + clockMs];
    const label = labels.get(resetMs);
    const stoodMs = label === undefined ? 0 : label.toMs - label.fromMs;
    const leadsElsewhere = endOfWait(last) < endMs - granularityMs || endOfWait(last) > latestMs + granularityMs;
    if (stoodMs < standsMs || leadsElsewhere) continue;
    const count = view.consumers.possible(endMs - windowMs - granularityMs, last.headersMs);
    if (count >= limit) return null;
    found.set(resetMs, { last, count: Math.max(count, found.get(resetMs)?.count ?? 0) });
  }
  const [one, other] = [...found].toSorted(([earlier], [later]) => earlier - later).map(([, window]) => window);
  if (one === undefined || other === undefined) return null;
  const count = Math.max(...[...found.values()].map((window) => window.count));
  return { endsWithWindow: true, first: one.last, last: other.last, count, most: count };
}

/** From the first answer that names an end to the last request that is answered with it. */
function labelsOf(ops: readonly LimitOp[]): ReadonlyMap<number, { readonly fromMs: number; readonly toMs: number }> {
  const labels = new Map<number, { readonly fromMs: number; readonly toMs: number }>();
  for (const { requests, sentMs, headersMs } of ops) {
    if (requests.resetMs === null) continue;
    const known = labels.get(requests.resetMs) ?? { fromMs: headersMs, toMs: sentMs };
    labels.set(requests.resetMs, { fromMs: Math.min(known.fromMs, headersMs), toMs: Math.max(known.toMs, sentMs) });
  }
  return labels;
}

function endOfWait({ headersMs, retry }: LimitOp): number {
  return headersMs + (retry?.seconds ?? 0) * 1000;
}
