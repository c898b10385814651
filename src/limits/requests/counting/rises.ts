import { findEpochs, type Epoch } from "./epochs.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import { ratePerMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import { readsCounter, type LimitOp } from "../../history/op.ts";
import { createFadedBetween } from "./faded-between.ts";
import { ascending, countBelow, countUpTo } from "../../../core/sorted.ts";
import { coarsestRefill, largestRefill } from "./largest-refill.ts";
import { roundingOf, describeCoarseness } from "../../history/rounding.ts";

const head: CheckHead = checkHead("limits.early-renewal", 2);

/**
 * A response names its reset; a later one, answered before that instant, sees more remaining than any refill, sliding window
 * or rounding can have brought back. Refill: the average rate, in batches of up to 12 s.
 */
export function checkRises(view: GroupView): Check {
  const { limit, offset, tolerances } = view;
  if (limit === null || offset === null || offset.split)
    return inconclusive(head, 0, "no limit, or no single clock in the Date headers");
  const reads = (op: LimitOp): boolean => op.requests.remaining !== null && op.requests.limit === limit && readsCounter(op);
  const readings = view.ops.filter(reads);
  const rate = ratePerMs(limit, tolerances);
  const rounding = roundingOf(view.admitted, limit);
  const batch = largestRefill(view);
  const coarsest = coarsestRefill(view);
  const slack = batch.units + 2 + 2 * (rounding - 1);
  const fadedBetween = createFadedBetween(view);
  const countStaying = createStaying(view);
  const answered = view.answered.filter(reads);
  let next = 0;
  let best: { readonly op: LimitOp; readonly value: number } | null = null;
  for (const late of readings) {
    while (next < answered.length && answered[next]!.headersMs + tolerances.fuzzMs < late.sentMs) {
      const op = answered[next++]!;
      const value = op.requests.remaining! - rate * op.sentMs;
      if (op.requests.resetMs !== null && (best === null || value < best.value)) best = { op, value };
    }
    if (best === null) continue;
    // The reading with the least room may name a reset that has passed: then nothing can be said from it.
    const early = best.op;
    if (late.headersMs + offset.highMs >= early.requests.resetMs! - tolerances.granularityMs - tolerances.clockMs) {
      best = null;
      continue;
    }
    const rose = late.requests.remaining! - early.requests.remaining!;
    const spanMs = late.headersMs - early.sentMs;
    const average = Math.ceil(rate * spanMs);
    const reachMs = early.sentMs - tolerances.windowMs - tolerances.granularityMs - tolerances.fuzzMs;
    if (rose <= average + slack || !view.exclusive || view.knownFromMs > reachMs) continue;
    // A counter that counts rejections fades faster than the average rate, as far as the coarsest batch does.
    const faded = Math.min(fadedBetween(early, spanMs), average + coarsest - batch.units);
    const refilled = Math.max(average, faded) + slack;
    const slid = Math.min(
      view.contenders.possible(reachMs, late.headersMs - tolerances.windowMs + tolerances.granularityMs + tolerances.fuzzMs),
      Math.max(0, limit - early.requests.remaining! - countStaying(early, late)),
    );
    const lawful = refilled + slid;
    if (rose <= lawful) continue;
    return accused(head, readings.length, "fail", {
      kind: "early-renewal",
      message: `remaining rose by ${rose} from #${early.seq} to #${late.seq}, ${(spanMs / 1000).toFixed(1)} s later and before the reset that #${early.seq} names. However it refills or slides, a limit of ${limit} gives back ${lawful} at most meanwhile: a correct limiter of any kind shows at most ${early.requests.remaining! + lawful}`,
      rule: "The window is not renewed before the instant that its reset header names.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-requests, x-ratelimit-reset-requests)",
      ops: [early, late, ...(batch.shownBy ?? [])],
      parameters: { rose, lawful, spanMs, offsetHighMs: offset.highMs, limit, batch: batch.units },
      lawfulAlternative: `a reset no later than #${late.seq}, or remaining at most ${early.requests.remaining! + lawful}`,
      expected: `remaining at most ${early.requests.remaining! + lawful}`,
      observed: `remaining ${late.requests.remaining}`,
    });
  }
  const moved = findMovedLabels(view);
  if (moved !== null) return accuseMoved(view, readings.length, moved);
  const coarse = describeCoarseness(rounding, limit);
  if (coarse !== null) return inconclusive(head, readings.length, coarse);
  return passed(head, readings.length, `${readings.length} readings: no renewal before a stated reset`);
}

function accuseMoved(view: GroupView, considered: number, pairs: readonly (readonly [LimitOp, LimitOp])[]): Check {
  const [before, after] = pairs[0]!;
  const [ends, next] = [before.requests.resetMs! / 1000, after.requests.resetMs! / 1000];
  const earlySeconds = ((before.requests.resetMs! - after.headersMs - view.offset!.highMs) / 1000).toFixed(1);
  const window = view.tolerances.windowMs / 1000;
  return accused(head, considered, "fail", {
    kind: "label-moved",
    message: `${pairs.length} times a window was replaced before its end: up to #${before.seq} requests name ${ends} as the reset, and from #${after.seq} on, ${earlySeconds} s before that, all name ${next}, ${next - ends} s later. Windows of ${window} s end at least ${window} s apart: a correct limiter of any kind names ${ends} until then`,
    rule: "The window is not renewed before the instant that its reset header names.",
    spec: "Limits > Rate limits (x-ratelimit-reset-requests)",
    ops: pairs.flat(),
    parameters: { limit: view.limit, offsetHighMs: view.offset!.highMs },
    lawfulAlternative: `#${after.seq} names ${ends}, or ${ends + window} at the earliest`,
    expected: String(ends),
    observed: String(next),
  });
}

/**
 * Admitted before `early` was sent and so late that a log or counter of the last window still counts them when `late` is answered, at
 * least: none that was under way from before that until then. O(log n) each.
 */
function createStaying({ admitted, tolerances }: GroupView): (early: LimitOp, late: LimitOp) => number {
  const { windowMs, granularityMs, fuzzMs } = tolerances;
  const starts = admitted.map(({ sentMs }) => sentMs);
  const ends = ascending(admitted.map(({ headersMs }) => headersMs));
  return (early, late) => {
    const sinceMs = late.headersMs - windowMs + granularityMs + fuzzMs;
    return Math.max(0, countBelow(ends, early.sentMs - fuzzMs) - countUpTo(starts, sinceMs));
  };
}

/** One move may come from a clock that was set, or from a counter that was cleared. */
const fewestMoves = 2;

/**
 * A label that many requests over many refills name is the end of a window, or the instant at which the oldest request leaves a log. Neither
 * gives way to another label before it has come, unless windows end at least a window apart (a counter that names the end of the next
 * one). Pairs of labels of which the first was still clearly ahead when the second took its place, less than a window later, and was not
 * named again, as it would be by instances whose clocks differ. null: fewer than two such pairs.
 */
export function findMovedLabels(view: GroupView): readonly (readonly [LimitOp, LimitOp])[] | null {
  const { offset, tolerances } = view;
  if (offset === null || offset.split) return null;
  const slackMs = tolerances.granularityMs + tolerances.clockMs + tolerances.fuzzMs;
  const namedUntil = createNamedUntil(view.answered);
  const anchored = findEpochs(view)
    .filter((epoch) => epoch.anchored)
    .toSorted((one, other) => one.resetMs - other.resetMs);
  const moves = anchored.flatMap((after, index): readonly (readonly [LimitOp, LimitOp])[] => {
    const before = anchored[index - 1];
    if (before === undefined || after.resetMs - before.resetMs >= tolerances.windowMs - slackMs) return [];
    const first = firstAnswered(after);
    const last = before.ops.findLast((op) => op.headersMs < first.sentMs);
    const isAhead = first.headersMs + offset.highMs < before.resetMs - slackMs;
    const isNamedAgain = namedUntil(before.resetMs + slackMs) > first.headersMs;
    return last !== undefined && isAhead && !isNamedAgain ? [[last, first]] : [];
  });
  return moves.length >= fewestMoves ? moves : null;
}

/** When the last request was sent whose answer names a reset up to one; each in O(log n). */
function createNamedUntil(answered: readonly LimitOp[]): (resetMs: number) => number {
  const labelled = answered.flatMap(({ sentMs, requests: { resetMs } }) => (resetMs === null ? [] : [{ sentMs, resetMs }]));
  labelled.sort((one, other) => one.resetMs - other.resetMs);
  const labels = labelled.map(({ resetMs }) => resetMs);
  let latestMs = Number.NEGATIVE_INFINITY;
  const latest = labelled.map(({ sentMs }) => (latestMs = Math.max(latestMs, sentMs)));
  return (resetMs) => latest[countUpTo(labels, resetMs) - 1] ?? Number.NEGATIVE_INFINITY;
}

function firstAnswered({ ops }: Epoch): LimitOp {
  return ops.reduce((least, op) => (op.headersMs < least.headersMs ? op : least));
}
