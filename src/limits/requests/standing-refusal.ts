import { ratePerMs, coarsestBatchMs } from "../history/tolerances.ts";
import type { GroupView } from "../history/group-view.ts";
import type { LimitOp, LimitDecision } from "../history/op.ts";
import { roundingOf } from "../history/rounding.ts";

/**
 * Two refusals in a row, each alone, of which both say that something remains. The first may round up a fraction; but whatever
 * refills by fractions has by the second brought back more than one request: a bucket by its rate, a counter by what fades of
 * the window before. A limiter that counts whole requests does not refuse while one remains. No window began in between. null:
 * no such pair.
 */
export function findStandingRefusal(view: GroupView, refused: readonly LimitOp[]): readonly [LimitOp, LimitOp] | null {
  const { limit, tolerances, exclusive } = view;
  if (limit === null || !exclusive || view.offset === null || roundingOf(view.admitted, limit) > 1) return null;
  const rate = ratePerMs(limit, tolerances) / (1 + 2 * tolerances.rateRatio);
  for (const [index, late] of refused.entries()) {
    const early = refused[index - 1];
    if (early === undefined || !says(early) || !says(late) || !liesInOneWindow(view, early, late)) continue;
    const pauseMs = late.sentMs - early.headersMs - tolerances.fuzzMs;
    // Batches of any length up to the coarsest leave out one of them at most, and half of a pause that is no shorter.
    const refilled = rate * Math.max(pauseMs / 2, pauseMs - coarsestBatchMs);
    if (pauseMs < coarsestBatchMs + tolerances.granularityMs || refilled < 2) continue;
    if (view.contenders.possible(early.sentMs, late.headersMs) > 2) continue;
    if (countersFade(view, early, pauseMs)) return [early, late];
  }
  return null;
}

function says({ requests }: LimitOp): boolean {
  return requests.remaining !== null && requests.remaining >= 1 && requests.resetMs !== null;
}

/**
 * Nothing ended between the two at an instant that the labels name: both name the same one, or the earlier label lies ahead of
 * the later request.
 */
function liesInOneWindow({ offset, tolerances }: GroupView, early: LimitOp, late: LimitOp): boolean {
  const { granularityMs, clockMs, fuzzMs } = tolerances;
  if (early.requests.resetMs === late.requests.resetMs) return true;
  return late.headersMs + offset!.highMs + granularityMs + clockMs + fuzzMs < early.requests.resetMs!;
}

/**
 * The sets of requests that a limiter may count: admissions, client errors too, refusals too; each with other spellings of the
 * path or without.
 */
function countings({ ops, disguised }: GroupView): readonly (readonly LimitOp[])[] {
  const kinds: readonly (readonly LimitDecision[])[] = [
    ["admitted", "maybe"],
    ["admitted", "maybe", "other"],
    ["admitted", "maybe", "other", "rejected"],
  ];
  return [ops, [...ops, ...disguised]].flatMap((all) => kinds.map((kind) => all.filter(({ outcome }) => kind.includes(outcome))));
}

/**
 * The begin of the window by a label that names its end, or the end of the one after it: a step apart by the uncertainty of the
 * clocks.
 */
function namedBegins({ offset, tolerances }: GroupView, { requests }: LimitOp, slackMs: number): readonly number[] {
  if (offset === null || requests.resetMs === null) return [];
  const { windowMs, clockMs } = tolerances;
  const begins: number[] = [];
  for (const windows of [1, 2]) {
    const fromMs = requests.resetMs - offset.highMs - windows * windowMs - clockMs;
    const toMs = requests.resetMs - offset.lowMs - windows * windowMs + clockMs;
    for (let atMs = fromMs; atMs <= toMs; atMs += slackMs / 2) begins.push(atMs);
  }
  return begins;
}

/**
 * Whenever windows begin, a counter that weighs the one before cannot have refused both: so much of that window faded in
 * between that two requests had room; or all that it can have counted is less than the limit; or it counted so many that
 * nothing remained.
 */
function countersFade(view: GroupView, early: LimitOp, pauseMs: number): boolean {
  const limit = view.limit!;
  const { windowMs, granularityMs, fuzzMs, virtualLagMs } = view.tolerances;
  const slackMs = granularityMs + fuzzMs + virtualLagMs;
  const knownMs = view.ops[0]?.sentMs ?? 0;
  const begins = namedBegins(view, early, slackMs).filter(
    (beginMs) => early.headersMs >= beginMs - slackMs && early.sentMs <= beginMs + windowMs + slackMs,
  );
  if (begins.length === 0) return false;
  return countings(view).every((counted) => {
    const certainly = (fromMs: number, toMs: number): number =>
      counted.filter((op) => op.outcome !== "maybe" && op.sentMs > fromMs && op.headersMs < toMs).length;
    const possibly = (fromMs: number, toMs: number): number =>
      counted.filter((op) => op !== early && op.headersMs >= fromMs && op.sentMs <= toMs).length;
    for (const beginMs of begins) {
      const fromMs = beginMs - windowMs;
      const before = certainly(fromMs + slackMs, beginMs - slackMs);
      const fades = (before * pauseMs) / windowMs >= 2;
      const share = Math.max(0, 1 - (early.headersMs - beginMs + slackMs) / windowMs);
      const isFull = certainly(beginMs + slackMs, early.sentMs) + share * before >= limit;
      const hasRoom = knownMs < fromMs - slackMs && possibly(fromMs - slackMs, early.headersMs) < limit;
      if (!fades && !isFull && !hasRoom) return false;
    }
    return true;
  });
}
