import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import { countsWithin } from "../../history/counts-within.ts";
import type { GroupView } from "../../history/group-view.ts";
import type { LimitOp } from "../../history/op.ts";

const head: CheckHead = checkHead("limits.second-limit");
const unreachable = "limit-unreachable";

/** Lengths that second limits usually have, s. */
const usualSeconds = [1, 2, 5, 10, 15, 20, 30, 60, 300];

/** A limit beside the stated one, as far as its refusals say. */
export interface SecondLimit {
  readonly limit: number;
  readonly windowSeconds: number;
}

/**
 * The shortest usual window in which so many requests came before each refusal that showed something left, that one number of them
 * explains all of these refusals and no span holds more than twice as many admissions. null: none does.
 */
export function findSecondLimit(view: GroupView, refused: readonly LimitOp[]): SecondLimit | null {
  const { windowMs, fuzzMs } = view.tolerances;
  for (const seconds of usualSeconds) {
    const spanMs = seconds * 1000;
    if (spanMs >= windowMs) return null;
    const reachMs = spanMs + fuzzMs;
    const least = refused.reduce(
      (fewest, op) => Math.min(fewest, view.consumers.possible(op.sentMs - reachMs, op.headersMs)),
      Number.POSITIVE_INFINITY,
    );
    if (least < 1) continue;
    if (mostWithin(view.admitted, spanMs - fuzzMs) <= 2 * least) return { limit: least, windowSeconds: seconds };
  }
  return null;
}

/** Most admissions that certainly fell into one span; O(n log n). */
function mostWithin(admitted: readonly LimitOp[], spanMs: number): number {
  const ended = [...admitted].sort((a, b) => a.headersMs - b.headersMs);
  return countsWithin(ended, spanMs).reduce((most, count) => Math.max(most, count), 0);
}

/** null where nothing was refused while the stated limit had something left. O(n) beside the search for its window. */
export function checkSecondLimit(view: GroupView): Check | null {
  const refused = view.rejected.filter((op) => view.isOtherLimit(op));
  const first = refused[0];
  if (first === undefined) return null;
  const found = findSecondLimit(view, refused);
  const broken = findBrokenWait(view, refused);
  if (broken !== null && view.exclusive) {
    const [promise, late] = broken;
    return accused(head, refused.length, "fail", {
      kind: "retry-short",
      message: `#${promise.seq} was refused with ${promise.requests.remaining} remaining and said to wait ${promise.retry?.seconds} s; #${late.seq} waited ${((late.sentMs - promise.headersMs) / 1000).toFixed(2)} s, nobody else came, and it was refused with ${late.requests.remaining} remaining`,
      rule: "A request that waits as long as the refusal says is admitted, if nobody used the allowance meanwhile.",
      spec: "Errors (429) and Limits > Rate limits (retry-after)",
      ops: [promise, late],
      parameters: { waitSeconds: promise.retry?.seconds ?? null, fuzzMs: view.tolerances.fuzzMs },
      correct: `#${late.seq} is admitted, or #${promise.seq} names a longer wait`,
      expected: "admitted",
      observed: "429",
    });
  }
  const seen = `${refused.length} requests were refused although the stated limit of ${view.limit} had something left`;
  if (found === null)
    return inconclusive(
      head,
      refused.length,
      `${seen} (#${first.seq}: ${first.requests.remaining}), and no second limit explains them`,
    );
  return passed(
    head,
    refused.length,
    `${seen}: a second limit of about ${found.limit} requests in ${found.windowSeconds} s explains them, and its waits were kept as far as probed`,
  );
}

/** Whether a check is this warning: it says of no wait that it was kept, and leaves open what was open. */
export function isUnreachableLimit({ certificate }: Pick<Check, "certificate">): boolean {
  return certificate?.kind === unreachable;
}

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
  const round = roundsBetween(view, refused).find(({ most }) => most < limit);
  if (round === undefined) return null;
  const seconds = view.tolerances.windowMs / 1000;
  return accused(head, refused.length, "advisory", {
    kind: unreachable,
    message: `the stated limit of ${limit} is out of reach: at most ${round.count} requests were let in after the wait of #${round.first.seq} was over, then #${round.last.seq} was refused with ${round.last.requests.remaining} remaining and says to wait ${round.last.retry?.seconds} s. A client that keeps the stated waits gets at most ${Math.floor(round.most)} requests through in ${seconds} s`,
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

interface Round {
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
    rounds.push({ first, last, count, most: (count * windowMs) / leastWaitMs + count });
  }
  return rounds;
}

function endOfWait({ headersMs, retry }: LimitOp): number {
  return headersMs + (retry?.seconds ?? 0) * 1000;
}

/** Waited as stated, nobody in between, refused by the second limit again. */
function findBrokenWait(view: GroupView, refused: readonly LimitOp[]): readonly [LimitOp, LimitOp] | null {
  const answered = [...refused].sort((a, b) => a.headersMs - b.headersMs);
  let next = 0;
  for (const late of refused) {
    while (next < answered.length && answered[next]!.headersMs < late.sentMs) next += 1;
    const promise = answered[next - 1];
    if (promise === undefined || promise.retry?.seconds == null) continue;
    if (late.sentMs < promise.headersMs + promise.retry.seconds * 1000 + view.tolerances.fuzzMs) continue;
    if (view.contenders.possible(promise.sentMs, late.headersMs) <= 2) return [promise, late];
  }
  return null;
}
