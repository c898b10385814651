import { groupBy } from "../../../core/group-by.ts";
import { accused, inconclusive, passed, type Check, type CheckHead, checkHead } from "../../verdict/check.ts";
import { ratePerMs, coarsestBatchMs } from "../../history/tolerances.ts";
import type { GroupView } from "../../history/group-view.ts";
import { findCounterViolation } from "../../identify/counter.ts";
import { type LimitOp, describeSpan } from "../../history/op.ts";
import { roundingOf, describeCoarseness } from "../../history/rounding.ts";
import { ascending, countBelow, countUpTo } from "../../history/sorted.ts";
import { fadedBetween } from "./faded-between.ts";
import { findRepeatedReading } from "./repeated-reading.ts";
import { findUncounted } from "./uncounted.ts";

const spec = "Limits > Rate limits (x-ratelimit-remaining-requests, x-ratelimit-reset-requests)";

const lostHead: CheckHead = checkHead("limits.lost-updates", 4);

/**
 * Requests of one stated window, answered surely before its stated end. Where enough of them share a label over a long enough
 * span, no lawful meaning of the label leaves room for a renewal in between (docs/guide/limits.md, "Anchored epochs").
 */
export interface Epoch {
  readonly resetMs: number;
  readonly ops: readonly LimitOp[];
  /** Admitted under the same label, but so early that they may have been decided in the window before. */
  readonly late: readonly LimitOp[];
  readonly anchored: boolean;
  /** Weight that a sliding counter may still have carried over from the window before when it was last seen. */
  readonly carried: number;
  /** By how much at most that weight can have faded from its first request to its last answer. */
  readonly faded: number;
}

export function findEpochs(view: GroupView): readonly Epoch[] {
  const { limit, tolerances, offset } = view;
  if (limit === null || offset === null || offset.split) return [];
  const labelled = view.admitted.filter(({ requests: { resetMs, remaining, limit: stated }, headersMs }) => {
    if (resetMs === null || remaining === null || stated !== limit) return false;
    return headersMs + offset.highMs < resetMs - tolerances.granularityMs - tolerances.fuzzMs;
  });
  const byLabel = groupBy(labelled, ({ requests }) => requests.resetMs!);
  const perSecond = (limit / tolerances.windowMs) * 1000;
  const epochs: Epoch[] = [];
  for (const [resetMs, members] of byLabel) {
    const ops = withoutLateReaders(members, resetMs, view);
    if (ops.length < 2) continue;
    const spanMs = ops.at(-1)!.sentMs - Math.min(...ops.slice(0, 64).map((op) => op.headersMs));
    const firstMs = ops[0]!.sentMs;
    const known = view.knownFromMs <= firstMs - 2 * tolerances.windowMs - tolerances.granularityMs;
    const seen = view.contenders.possible(firstMs - 2 * tolerances.windowMs - tolerances.granularityMs, firstMs - 1e-6);
    // Requests that were under way together may all have read one label late (O3), however many moved it before.
    const bornMs = ops.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
    const later = ops.filter((op) => op.sentMs > bornMs).length;
    const anchored = later > Math.max(2 * perSecond + 3, limit / 5) && spanMs >= 2000 + 2 * tolerances.fuzzMs;
    const weighted = !anchored || weighsPrevious(ops, resetMs, byLabel, view);
    const carried = weighted
      ? Math.min(
          known ? seen : Number.POSITIVE_INFINITY,
          carriedByReadings(ops, limit, ownCount(view)) + roundingOf(view.admitted, limit) - 1,
        )
      : 0;
    const endMs = ops.reduce((most, op) => Math.max(most, op.headersMs), firstMs);
    // Whatever the window before counted fades evenly, seen through a rounding.
    const faded = Math.ceil((seen * (endMs - firstMs)) / tolerances.windowMs);
    epochs.push({
      resetMs,
      ops,
      late: members.filter((op) => !ops.includes(op)),
      anchored,
      carried,
      faded: weighted ? (known ? faded : Number.POSITIVE_INFINITY) : 0,
    });
  }
  return epochs;
}

/**
 * A reading counts what this window admitted and what is carried over: the readings themselves bound the latter, which only
 * fades as the window goes on.
 */
export function carriedByReadings(ops: readonly LimitOp[], limit: number, own: 0 | 1): number {
  const ends = ascending(ops.map((op) => op.headersMs));
  let least = Number.POSITIVE_INFINITY;
  for (const op of ops.slice(0, 64)) least = Math.min(least, limit - op.requests.remaining! - countBelow(ends, op.sentMs) - own);
  return Math.max(0, least);
}

/** 1 where `remaining` provably counts the request that shows it: an admitted one that does not sees itself at least. */
export function ownCount(view: GroupView): 0 | 1 {
  const { limit, admitted } = view;
  if (limit === null || roundingOf(admitted, limit) > 1) return 0;
  return admitted.some((op) => op.requests.limit === limit && op.requests.remaining === 0) ? 1 : 0;
}

/**
 * Whether the window before may still weigh on this one. It does not, if that one admitted more, by its own label, than a
 * sliding counter could leave out of an early reading of this one.
 */
function weighsPrevious(
  ops: readonly LimitOp[],
  resetMs: number,
  byLabel: ReadonlyMap<number, readonly LimitOp[]>,
  view: GroupView,
): boolean {
  const limit = view.limit!;
  const { windowMs, granularityMs, clockMs } = view.tolerances;
  const fromMs = resetMs - windowMs;
  const marginMs = 2 * granularityMs + clockMs;
  // The label may also name the end of the window after this one: then nothing of it is seen beyond its first half.
  if (ops.at(-1)!.sentMs + view.offset!.lowMs < fromMs + marginMs || roundingOf(view.admitted, limit) > 1) return true;
  const before = [...byLabel].find(([label]) => label <= fromMs + granularityMs && label >= fromMs - windowMs / 2);
  if (before === undefined) return true;
  const previous = withoutLateReaders(before[1], before[0], view).length;
  const ends = ascending(ops.map((op) => op.headersMs));
  return !ops.slice(0, 64).some((op) => {
    const elapsed = (op.headersMs + view.offset!.highMs + marginMs - fromMs) / windowMs;
    const most = limit - op.requests.remaining! - countBelow(ends, op.sentMs);
    return 0.9 * previous * (1 - elapsed) > most + 3;
  });
}

/** A request decided in the window before may read label and remaining of this one when it reads late (O3): leave it out. */
function withoutLateReaders(members: readonly LimitOp[], resetMs: number, view: GroupView): readonly LimitOp[] {
  const { tolerances, offset } = view;
  const bornMs = members.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  const slackMs = tolerances.granularityMs + tolerances.fuzzMs + tolerances.clockMs;
  const surelyOpenMs = resetMs + slackMs - tolerances.windowMs - (offset?.lowMs ?? 0);
  // An instance whose clock lags may decide in the window before although another has seen this one.
  return members.filter((op) => op.sentMs > bornMs + tolerances.fuzzMs || op.sentMs >= surelyOpenMs);
}

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
  for (const epoch of epochs) {
    considered += epoch.ops.length;
    together = Math.max(together, mostAtOnce(epoch.ops));
    const found = exactLoss(view, epoch) ?? pairedLoss(view, epoch);
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

/** What was read and admitted, what may have come back meanwhile in any limiter, and what is then missing. */
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
function pairedLoss(view: GroupView, epoch: Epoch): Check | null {
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
    const between = epoch.ops.filter((op) => op.sentMs > first.headersMs && op.headersMs < last.sentMs);
    const spanMs = last.headersMs - first.sentMs;
    const faded = epoch.anchored ? 0 : fadedBetween(view, first, spanMs + tolerances.fuzzMs);
    const renewal = Math.max(Math.ceil(rate * spanMs), faded) + slack + slidingOut(view, epoch, first, last);
    const fell = first.requests.remaining! - last.requests.remaining!;
    if (between.length + 1 - renewal <= fell) continue;
    // A bucket that is filled in batches shares a label among few requests only; more than a fifth of the limit rules it out.
    if (between.length + 1 - fell <= Math.max(limit / 5, renewal)) continue;
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
