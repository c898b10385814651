import { groupBy } from "../../../core/group-by.ts";
import {
  accused,
  inconclusive,
  passed,
  type Check,
  type CheckHead,
  checkHead,
  describeUnattributed,
} from "../../verdict/check.ts";
import type { GroupView } from "../../history/group-view.ts";
import { type LimitOp, describeSpan } from "../../history/op.ts";
import { roundingOf, describeCoarseness } from "../../history/rounding.ts";
import { ascending, countBelow } from "../../../core/sorted.ts";

const spec = "Limits > Rate limits (x-ratelimit-remaining-requests)";

const claimHead: CheckHead = checkHead("limits.remaining-not-granted");

/**
 * One response says that k requests remain; fewer than k others can have used them up; a later request is rejected all the same.
 * Only reported as a contradiction when the rejected request came alone: limiters may smooth bursts below the window's allowance.
 */
export function checkClaims(view: GroupView): Check {
  const { limit, tolerances } = view;
  const judged = view.rejected.filter((op) => view.judgesRejection(op));
  if (limit === null) return inconclusive(claimHead, 0, "no readable limit");
  if (judged.length === 0) return inconclusive(claimHead, 0, describeUnattributed(view.rejected));
  if (!view.exclusive)
    return inconclusive(claimHead, judged.length, "the key is not declared exclusive: others may have used the allowance");
  const rounding = roundingOf(view.admitted, limit);
  const own = countsItself(view, limit) ? 0 : 1;
  const promises = view.answered.filter((op) => op.requests.remaining !== null && promisesMore(view, op));
  const admittedBefore = countByLabel(view);
  let next = 0;
  let best: { readonly op: LimitOp; readonly least: number; readonly value: number } | null = null;
  for (const late of judged) {
    while (next < promises.length && promises[next]!.headersMs + tolerances.fuzzMs < late.sentMs) {
      const op = promises[next++]!;
      const least =
        op.requests.remaining! - own - (rounding - 1) - (mayBeFraction(view, op, admittedBefore(op) + 1 - own) ? 1 : 0);
      const value = least + view.contenders.endedBefore(op.sentMs - tolerances.fuzzMs);
      if (best === null || value > best.value) best = { op, least, value };
    }
    if (best === null) continue;
    const users = view.contenders.startedUpTo(late.headersMs) - 2;
    if (best.value <= users || !cameAlone(view, late, limit)) continue;
    const { op, least } = best;
    const possible = view.contenders.possible(op.sentMs - tolerances.fuzzMs, late.headersMs) - 2;
    if (least <= possible) continue;
    const granted = op.requests.remaining! - least;
    return accused(claimHead, judged.length, "fail", {
      kind: "claim",
      message: `#${op.seq} was answered with ${op.requests.remaining} remaining; ${describeOthers(possible)} can have used them since, and #${late.seq}, sent alone within ${describeSpan([op, late])}, was refused with 429. A correct limiter of any kind admits it, or had shown ${possible + granted} at most`,
      rule: "Requests that a response says remain are granted until they are used or the window ends.",
      spec,
      ops: [op, late],
      parameters: { limit, promised: least + rounding - 1, possible, rounding, fuzzMs: tolerances.fuzzMs },
      lawfulAlternative: `#${late.seq} is admitted, or #${op.seq} says at most ${possible + granted}`,
      expected: "admitted",
      observed: "429",
    });
  }
  const coarse = describeCoarseness(rounding, limit);
  if (coarse !== null) return inconclusive(claimHead, judged.length, coarse);
  return passed(claimHead, judged.length, `${judged.length} rejections contradict no earlier remaining`);
}

function describeOthers(count: number): string {
  return count === 0 ? "nothing else" : count === 1 ? "one other request at most" : `at most ${count} other requests`;
}

/**
 * A counter that weighs the window before by fractions may round up what remains, and a fraction is not granted. Only where nothing was
 * sent for two windows before the one in which this was answered does it count whole requests; and it never shows more than the limit
 * less what was admitted under the same label.
 */
function mayBeFraction(view: GroupView, op: LimitOp, counted: number): boolean {
  if (op.requests.remaining! > view.limit! - counted) return false;
  const { windowMs, granularityMs, fuzzMs } = view.tolerances;
  const fromMs = op.sentMs - 2 * windowMs - granularityMs - fuzzMs;
  if (view.knownFromMs > fromMs) return true;
  const { resetMs } = op.requests;
  // Of the windows that end at the label or one earlier, the later one began here at the latest.
  const beganMs =
    resetMs === null || view.offset === null ? op.sentMs : resetMs - view.offset.lowMs - windowMs + granularityMs + fuzzMs;
  return view.contenders.possible(fromMs, Math.min(beganMs, op.sentMs - 1)) > 0;
}

/** How many requests under the same label were certainly admitted before one; O(log n) each. */
function countByLabel({ answered, tolerances }: GroupView): (op: LimitOp) => number {
  const labelled = answered.filter(({ outcome, requests }) => outcome === "admitted" && requests.resetMs !== null);
  const endings = new Map(
    [...groupBy(labelled, ({ requests }) => requests.resetMs)].map(([label, ops]) => [
      label,
      ascending(ops.map(({ headersMs }) => headersMs)),
    ]),
  );
  return ({ requests, sentMs }) => countBelow(endings.get(requests.resetMs) ?? [], sentMs - tolerances.fuzzMs);
}

/** A rejection that shows one remaining may round up a fraction; one that shows more promises it as an admitted request does. */
function promisesMore(view: GroupView, op: LimitOp): boolean {
  return op.outcome === "admitted" || (op.outcome === "rejected" && op.requests.remaining! > 1 && view.judgesRejection(op));
}

/**
 * Whether `remaining` provably counts the request that carries it (O2): it once showed less than the limit less everything
 * that can have been counted before.
 */
function countsItself(view: GroupView, limit: number): boolean {
  const { windowMs, granularityMs, fuzzMs } = view.tolerances;
  const first = view.ops[0];
  return view.admitted.some((op) => {
    const fromMs = op.sentMs - 2 * windowMs - granularityMs - fuzzMs;
    if (op.requests.remaining === null || first === undefined || first.sentMs >= fromMs) return false;
    return op.requests.remaining < limit - (view.contenders.possible(fromMs, op.headersMs) - 1);
  });
}

/** Nothing else was under way for as long as two requests take at the average rate (and two seconds at least). */
export function cameAlone(view: GroupView, op: LimitOp, limit: number): boolean {
  const quietMs = Math.max(2000, (2 * view.tolerances.windowMs) / limit) + view.tolerances.granularityMs;
  return view.contenders.possible(op.sentMs - quietMs, op.headersMs) === 1;
}

const dropHead: CheckHead = checkHead("limits.phantom-consumption", 2);

/** Remaining fell by more than all requests that can have been counted in between; O(n log n). */
export function checkPhantoms(view: GroupView): Check {
  const { limit, tolerances } = view;
  const readings = view.admitted.filter((op) => op.requests.remaining !== null && op.requests.limit === limit);
  if (limit === null || readings.length < 2)
    return inconclusive(dropHead, readings.length, "fewer than two readings of remaining");
  if (!view.exclusive)
    return inconclusive(dropHead, readings.length, "the key is not declared exclusive: others may have used it");
  const rounding = roundingOf(readings, limit);
  const answered = view.answered.filter(
    (op) => promisesMore(view, op) && op.requests.remaining !== null && op.requests.limit === limit,
  );
  // An instance whose clock lags may still read the window, or the weight, of a moment ago; a bucket what refilled in between.
  for (const apartMs of [tolerances.fuzzMs, 0]) {
    const found = findDrop(view, readings, answered, apartMs);
    if (found === null) continue;
    const { op, late, possible, fell } = found;
    return accused(dropHead, readings.length, "fail", {
      kind: "phantom-drop",
      message: `#${op.seq} shows ${op.requests.remaining} remaining and #${late.seq}, answered within ${describeSpan([op, late])}, shows ${late.requests.remaining}: lower by ${fell}, but at most ${possible} requests were sent that can have been counted, these two included. A correct limiter of any kind shows at least ${op.requests.remaining! - possible}`,
      rule: "Each request lowers the allowance of its own key and endpoint once.",
      spec,
      ops: [op, late],
      parameters: { limit, fell, possible, rounding, fuzzMs: tolerances.fuzzMs, apartMs },
      lawfulAlternative: `remaining is at least ${op.requests.remaining! - possible}`,
      expected: `remaining at least ${op.requests.remaining! - possible}`,
      observed: `remaining ${late.requests.remaining}`,
    });
  }
  const coarse = describeCoarseness(rounding, limit);
  if (coarse !== null) return inconclusive(dropHead, readings.length, coarse);
  return passed(dropHead, readings.length, `${readings.length} readings: remaining never fell by more than was sent`);
}

interface Drop {
  readonly op: LimitOp;
  readonly late: LimitOp;
  readonly possible: number;
  readonly fell: number;
}

/**
 * The first two readings so far apart between which remaining fell by too much. Closer than instances may differ: only where the later
 * one names no earlier reset, so that it is no reading of an older window, and beyond what refills within that difference.
 */
function findDrop(view: GroupView, readings: readonly LimitOp[], answered: readonly LimitOp[], apartMs: number): Drop | null {
  const { limit, tolerances } = view;
  const rounding = roundingOf(readings, limit!);
  const isClose = apartMs < tolerances.fuzzMs;
  const refilled = isClose ? Math.ceil((limit! / tolerances.windowMs) * tolerances.fuzzMs) : 0;
  let next = 0;
  let best: { readonly op: LimitOp; readonly value: number } | null = null;
  for (const late of readings) {
    while (next < answered.length && answered[next]!.headersMs + apartMs < late.sentMs) {
      const op = answered[next++]!;
      const value = op.requests.remaining! + view.contenders.endedBefore(op.sentMs - apartMs);
      if (best === null || value > best.value) best = { op, value };
    }
    if (best === null) continue;
    const { op } = best;
    if (
      isClose &&
      !(op.requests.resetMs !== null && late.requests.resetMs !== null && late.requests.resetMs >= op.requests.resetMs)
    )
      continue;
    // Both ends overlap the span; the first one counts only under `before` semantics (O2).
    const possible = view.contenders.possible(op.sentMs - apartMs, late.headersMs + apartMs) + refilled;
    const fell = op.requests.remaining! - late.requests.remaining!;
    if (fell > possible + 2 * (rounding - 1)) return { op, late, possible, fell };
  }
  return null;
}
