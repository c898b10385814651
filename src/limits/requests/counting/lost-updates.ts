import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import { ratePerMs, coarsestBatchMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import { findCounterViolation } from "../../identify/counter.ts";
import { type LimitOp, describeSpan } from "../../history/op.ts";
import { roundingOf, describeCoarseness } from "../../history/rounding.ts";
import { ascending, countBelow, countUpTo } from "../../../core/sorted.ts";
import { type Epoch, findEpochs } from "./epochs.ts";
import { createFadedBetween, type FadedBetween } from "./faded-between.ts";
import { findUncounted } from "./uncounted.ts";
import { quickRows, type QuickRow, decisiveChance } from "./quick-rows.ts";

/** Fewer rows, or rows from fewer heights, leave it open where in a row a refill may have fallen. */
const fewestRows = 5;
const fewestHeights = 3;

/**
 * In every row of single requests that passes it, one number that remains is shown by two admitted requests in a row: one more is admitted
 * there than is counted. Something may have come back between the two, with the chance that less than a request comes back at all,
 * and that it falls on this number of the heights from which rows begin, which the exam draws at random. Its number is not
 * known beforehand: as many as a row has are granted. O(n).
 */
function findRepeatedReading(view: GroupView, head: CheckHead): Check | null {
  if (view.limit === null) return null;
  const rows = quickRows(view);
  const values = new Set(rows.flatMap(({ ops }) => ops.map(remainingOf)));
  for (const value of values) {
    const passing = rows.flatMap((row) => passage(row, value) ?? []);
    const heights = new Set(passing.map(({ row }) => remainingOf(row.ops[0]!))).size;
    if (passing.length < fewestRows || heights < fewestHeights || !passing.every(({ repeats }) => repeats)) continue;
    const chance = passing.reduce((product, { row }) => (product * row.chance) / heights, values.size);
    if (chance > decisiveChance) continue;
    const pairs = passing.flatMap(({ pair }) => pair);
    return accused(head, view.admitted.length, "fail", {
      kind: "repeated-reading",
      message: `${passing.length} times single requests, each sent after the answer of the one before, used up what remained; each time two of them in a row were admitted and showed ${value} remaining (#${pairs[0]!.seq} and #${pairs[1]!.seq} first), within ${longestMs(pairs)} ms at most. A limit of ${view.limit} brings back one request in ${Math.round(view.tolerances.windowMs / view.limit)} ms. A correct limiter of any kind ${value === 0 ? "refuses the second of them" : `shows ${value - 1} at the second of them`}, now and then by chance not`,
      rule: "Every admitted request lowers remaining by one.",
      spec: "Limits > Rate limits (x-ratelimit-remaining-requests)",
      ops: pairs,
      parameters: { limit: view.limit, remaining: value, heights, fuzzMs: view.tolerances.fuzzMs },
      lawfulAlternative: value === 0 ? "the second request is refused" : `the second request shows ${value - 1} remaining`,
      expected: value === 0 ? "429" : `remaining ${value - 1}`,
      observed: `remaining ${value} twice, ${passing.length} of ${passing.length} times`,
    });
  }
  return null;
}

interface Passage {
  readonly row: QuickRow;
  readonly pair: readonly [LimitOp, LimitOp];
  readonly repeats: boolean;
}

/** The place at which a row comes down to `value` from above and goes on; null: it does not. */
function passage(row: QuickRow, value: number): Passage | null {
  const at = row.ops.findIndex((op) => op.outcome === "admitted" && remainingOf(op) === value);
  const [early, late] = [row.ops[at], row.ops[at + 1]];
  if (at < 1 || early === undefined || late === undefined) return null;
  return { row, pair: [early, late], repeats: late.outcome === "admitted" && remainingOf(late) === value };
}

function remainingOf({ requests }: LimitOp): number {
  return requests.remaining!;
}

function longestMs(pairs: readonly LimitOp[]): number {
  return Math.ceil(Math.max(...pairs.map((op, index) => (index % 2 === 1 ? op.headersMs - pairs[index - 1]!.sentMs : 0))));
}

const spec = "Limits > Rate limits (x-ratelimit-remaining-requests, x-ratelimit-reset-requests)";

const lostHead: CheckHead = checkHead("limits.lost-updates", 4);

/**
 * More requests were admitted between two readings than `remaining` fell by. Exact matching where the window is anchored,
 * otherwise a pair of readings with an allowance for everything that any lawful limiter may renew in that span.
 */
export function checkLostUpdates(view: GroupView): Check {
  const epochs = findEpochs(view);
  const uncounted = findUncounted(view, lostHead) ?? findRepeatedReading(view, lostHead);
  if (uncounted !== null && !epochs.some(({ anchored }) => anchored)) return uncounted;
  if (view.limit === null || epochs.length === 0) {
    return inconclusive(lostHead, 0, whyNoWindow(view));
  }
  let considered = 0;
  let together = 0;
  const fadedBetween = createFadedBetween(view);
  for (const epoch of epochs) {
    considered += epoch.ops.length;
    together = Math.max(together, mostAtOnce(epoch.ops));
    const found = exactLoss(view, epoch) ?? pairedLoss(view, epoch, fadedBetween);
    if (found) return { ...found, considered };
  }
  const windows = `${considered} readings of ${epochs.length} windows fit a counter that loses nothing`;
  const coarse = describeCoarseness(roundingOf(view.admitted, view.limit), view.limit);
  if (coarse !== null) return inconclusive(lostHead, considered, coarse);
  // Requests that do not overlap cannot lose each other's updates: a burst that the way spread out proves nothing.
  if (together < overlapNeeded(view.limit)) {
    return inconclusive(lostHead, considered, `${windows}, but at most ${together} of their requests were in flight at once`);
  }
  return passed(lostHead, considered, `${windows}, with up to ${together} requests in flight at once`);
}

/** Headers that cannot be read, or labels that few requests share: a bucket moves its own with each. */
function whyNoWindow({ admitted, limit, offset }: GroupView): string {
  const read = admitted.filter(({ requests: { resetMs, remaining } }) => resetMs !== null && remaining !== null);
  if (limit === null || offset === null || offset.split || read.length < 2)
    return "no window with readable limit, remaining, reset and Date headers";
  const labels = new Set(read.map(({ requests }) => requests.resetMs)).size;
  return `${read.length} readings name ${labels} ${labels === 1 ? "reset" : "resets"}: no two were certainly counted under one that lay ahead, so that none can be held against the other`;
}

/** Requests that must have been in flight at once: as many as the exam sends at least, a third of a small limit. */
function overlapNeeded(limit: number): number {
  return Math.min(4, Math.max(2, Math.floor(limit / 3)));
}

/** Whether so many admitted requests were certainly in flight at once that their updates could have been lost, and readings are exact. */
export function couldLose({ admitted, limit }: GroupView): boolean {
  if (limit === null || roundingOf(admitted, limit) > 1) return false;
  const read = admitted.filter(({ requests, headersMs }) => requests.remaining !== null && Number.isFinite(headersMs));
  return mostAtOnce(read) >= overlapNeeded(limit);
}

/** Most requests that were certainly sent and not yet answered at one instant; O(n log n). */
function mostAtOnce(ops: readonly LimitOp[]): number {
  const starts = ascending(ops.map((op) => op.sentMs));
  const ends = ascending(ops.map((op) => op.headersMs));
  return starts.reduce((most, startMs) => Math.max(most, countUpTo(starts, startMs) - countBelow(ends, startMs)), 0);
}

function exactLoss(view: GroupView, epoch: Epoch): Check | null {
  const renewal = epoch.faded;
  if (!epoch.anchored || !Number.isFinite(renewal) || !view.exclusive) return null;
  const limit = view.limit!;
  const rounding = roundingOf(view.admitted, limit);
  if (rounding > 1) return null;
  // `before` semantics (O2) shift every reading by one. Only losses between two readings are reported, which a shift cannot cause.
  const ops = epoch.ops.map((op) => ({ sentMs: op.sentMs, headersMs: op.headersMs, used: limit - op.requests.remaining! + 1 }));
  const violation = findCounterViolation(ops, Number.POSITIVE_INFINITY, renewal);
  if (violation?.kind !== "lost" || violation.lowWitness === null) return null;
  const members = violation.members.map((index) => epoch.ops[index]!);
  return accuseLoss(view, {
    first: epoch.ops[violation.lowWitness]!,
    last: violation.highWitness === null ? null : epoch.ops[violation.highWitness]!,
    members,
    low: violation.low,
    high: violation.high - renewal,
    renewal,
    resetMs: epoch.resetMs,
  });
}

interface Loss {
  readonly first: LimitOp;
  readonly last: LimitOp | null;
  readonly members: readonly LimitOp[];
  readonly low: number;
  readonly high: number;
  readonly renewal: number;
  readonly resetMs: number;
}

function accuseLoss(view: GroupView, loss: Loss): Check {
  const { first, last, members, low, high, renewal } = loss;
  const fell = high - low;
  return accused(lostHead, members.length, "fail", {
    kind: "lost-update",
    message: describeLoss(loss),
    rule: "Within one stated window every admitted request lowers remaining by one, also when requests arrive together.",
    spec,
    ops: [...new Set([first, ...members, ...(last ? [last] : [])])],
    parameters: {
      limit: view.limit,
      low,
      high,
      renewal,
      first: first.seq,
      last: last?.seq ?? null,
      members: members.map((op) => op.seq).join(" "),
      resetSeconds: loss.resetMs / 1000,
    },
    lawfulAlternative: `remaining falls by at least ${members.length - renewal}, or some of these requests are rejected`,
    expected: `remaining lower by at least ${members.length - renewal}`,
    observed: `remaining lower by ${fell}`,
  });
}

/**
 * Describes the loss: the readings and admissions, the most that may have come back meanwhile in any limiter, and the number
 * that is then missing.
 */
function describeLoss({ first, last, members, low, high, renewal }: Loss): string {
  const [one] = members;
  const admitted =
    members.length === 1 && one !== undefined ? `#${one.seq} was admitted` : `${members.length} more requests were admitted`;
  const reading =
    last === null ? "their readings do not show them all" : `#${last.seq} shows ${last.requests.remaining} remaining`;
  const granted =
    renewal > 0 ? `; at most ${renewal} can have come back meanwhile in any limiter` : "; nothing can have come back meanwhile";
  const missing = members.length - (high - low) - renewal;
  const counted = `${missing} ${missing === 1 ? "was" : "were"} not counted`;
  const shown = last === null ? null : last.requests.remaining! - missing;
  const answer = shown === null || shown < 0 ? `refuses ${missing} of them with 429` : `shows ${shown} there at most`;
  const span = describeSpan([first, ...members, ...(last === null ? [] : [last])]);
  return `after #${first.seq} had shown ${first.requests.remaining} remaining ${admitted} within ${span}, and ${reading}${granted}: ${counted}. A correct limiter of any kind ${answer}`;
}

/** For each reading the earlier reading of the same window that leaves the least room; O(n log n). */
function pairedLoss(view: GroupView, epoch: Epoch, fadedBetween: FadedBetween): Check | null {
  // A label that moves with the newest request says nothing about what others used a window ago.
  const reachMs = (epoch.ops[0]?.sentMs ?? 0) - view.tolerances.windowMs - view.tolerances.granularityMs - view.tolerances.fuzzMs;
  if (!epoch.anchored && (!view.exclusive || view.knownFromMs > reachMs)) return null;
  const limit = view.limit!;
  const { tolerances } = view;
  const rate = ratePerMs(limit, tolerances);
  const starts = ascending(epoch.ops.map((op) => op.sentMs));
  const ends = ascending(epoch.ops.map((op) => op.headersMs));
  const rounding = roundingOf(view.admitted, limit);
  const slack = Math.ceil(rate * (tolerances.granularityMs + coarsestBatchMs)) + 1 + 2 * (rounding - 1);
  const answered = [...epoch.ops].sort((a, b) => a.headersMs - b.headersMs);
  let next = 0;
  let best: { readonly op: LimitOp; readonly value: number } | null = null;
  for (const last of epoch.ops) {
    while (next < answered.length && answered[next]!.headersMs < last.sentMs) {
      const op = answered[next++]!;
      const value = op.requests.remaining! + countUpTo(starts, op.headersMs) - rate * op.sentMs;
      if (best === null || value < best.value) best = { op, value };
    }
    if (best === null) continue;
    const excess = last.requests.remaining! + countBelow(ends, last.sentMs) + 1 - (best.value + rate * last.headersMs) - slack;
    if (excess < 1) continue;
    const first = best.op;
    const spanMs = last.headersMs - first.sentMs;
    const faded = epoch.anchored ? 0 : fadedBetween(first, spanMs + tolerances.fuzzMs);
    const renewal = Math.max(Math.ceil(rate * spanMs), faded) + slack + slidingOut(view, epoch, first, last);
    const fell = first.requests.remaining! - last.requests.remaining!;
    // A bucket that is filled in batches shares a label among few requests only; more than a fifth of the limit rules it out.
    const fewest = Math.max(fell + renewal, fell + Math.max(limit / 5, renewal));
    const underWay = countBelow(starts, last.sentMs) - countBelow(ends, last.sentMs);
    if (countBelow(ends, last.sentMs) - countUpTo(starts, first.headersMs) + underWay + 1 <= fewest) continue;
    const between = epoch.ops.filter((op) => op.sentMs > first.headersMs && op.headersMs < last.sentMs);
    if (between.length + 1 <= fewest) continue;
    const low = limit - first.requests.remaining!;
    return accuseLoss(view, { first, last, members: [...between, last], low, high: low + fell, renewal, resetMs: epoch.resetMs });
  }
  return null;
}

/** Requests of a window ago that a sliding log may drop between the two readings. */
function slidingOut(view: GroupView, epoch: Epoch, first: LimitOp, last: LimitOp): number {
  if (epoch.anchored) return 0;
  const { windowMs, granularityMs, fuzzMs } = view.tolerances;
  const slackMs = granularityMs + fuzzMs;
  return view.contenders.possible(first.sentMs - windowMs - slackMs, last.headersMs - windowMs + slackMs);
}
