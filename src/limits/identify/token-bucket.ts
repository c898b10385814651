import { ascending, countUpTo } from "../../core/sorted.ts";
import type { FamilyId } from "../models/limiter-model.ts";
import { refillOf } from "../models/token-bucket.ts";
import { refuted, usedBounds, type Family, type FamilyInput, type FamilyOp, type FamilyVerdict } from "./family.ts";

/**
 * Token bucket and GCRA by their envelope: level(h) = min over t <= h of [capacity + rate (h - t) - taken in [t, h]].
 * The upper level counts what was certainly taken, the lower level what may have been. `batchMs` allows for refills that come
 * late, all at once; the level at the start is not assumed.
 */
export const tokenBucket: Family = bucketFamily("token-bucket", 0);
export const batchRefill: Family = bucketFamily("batch-refill", 12_000);

function bucketFamily(id: FamilyId, batchMs: number): Family {
  return {
    id,
    examine: (input) => {
      const { limit } = input;
      const whole = examineBucket(id, input, limit, batchMs);
      if (whole.possible || limit < 2) return whole;
      // A smaller bucket is overdrawn sooner and never fuller: the smallest that is not overdrawn decides for all.
      const least = leastCapacity(limit, (capacity) => overdraft(id, input, capacity, batchMs) === null);
      if (least === null) return whole;
      const smallest = examineBucket(id, input, least, batchMs);
      if (!smallest.possible) return whole;
      const seen = seenCapacity(input);
      const likely = seen > least ? examineBucket(id, input, seen, batchMs) : smallest;
      return likely.possible ? likely : smallest;
    },
  };
}

/** Smallest capacity that holds, by bisection: if one holds, all larger ones do. null: not even `limit` holds. */
function leastCapacity(limit: number, holds: (capacity: number) => boolean): number | null {
  if (!holds(limit)) return null;
  let low = 0;
  let high = limit;
  while (high - low > 1) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle;
  }
  return high;
}

/** The number that a bucket held that was full once, if the most that was ever seen to remain came first. */
function seenCapacity({ limit, ops, before }: FamilyInput): number {
  const seen = ops.reduce(
    (most, op) => (op.remaining === null || op.outcome !== "admitted" ? most : Math.max(most, op.remaining)),
    0,
  );
  return Math.min(limit, seen + 1 - before);
}

function examineBucket(id: FamilyId, input: FamilyInput, capacity: number, batchMs: number): FamilyVerdict {
  const { limit, windowMs, rateRatio } = input;
  const slow = refillOf(input)(1 - rateRatio);
  const parameters = {
    limit,
    capacity,
    refillPerSecond: Math.round((limit / windowMs) * 1e6) / 1000,
    batchMs,
    before: input.before === 1,
  };
  return (
    overdraft(id, input, capacity, batchMs) ??
    underused(id, input, capacity, slow, levelSlack(input, batchMs)) ?? { possible: true, parameters }
  );
}

/** The part of the refill that may come earlier or later: skewed instances write the level at each other's instants. */
function levelSlack(input: FamilyInput, batchMs: number): number {
  return refillOf(input)((1 + input.rateRatio) * (input.fuzzMs + batchMs)) + 1e-6;
}

function overdraft(id: FamilyId, input: FamilyInput, capacity: number, batchMs: number): FamilyVerdict | null {
  const fast = refillOf(input)(1 + input.rateRatio);
  return overdrawn(id, input, capacity, fast, levelSlack(input, batchMs));
}

/** Upper level below zero, or a reading above it. */
function overdrawn(id: FamilyId, input: FamilyInput, capacity: number, rate: number, slack: number): FamilyVerdict | null {
  const taken = input.ops.filter((op) => op.outcome === "admitted");
  const starts = ascending(taken.map((op) => op.sentMs));
  const byEnd = [...taken].sort((a, b) => a.headersMs - b.headersMs);
  const tree = createRangeMinTree(starts.map((start) => capacity - rate * start));
  for (const op of byEnd) {
    tree.addToPrefix(countUpTo(starts, op.sentMs), -1);
    const level = tree.minOfPrefix(countUpTo(starts, op.headersMs)) + rate * op.headersMs;
    if (level + slack < 0) return refuted(id, `#${op.seq} was admitted with the bucket at ${level.toFixed(1)} at most`, [op.seq]);
  }
  const readTree = createRangeMinTree(starts.map((start) => capacity - rate * start));
  let next = 0;
  for (const op of taken) {
    while (next < byEnd.length && byEnd[next]!.headersMs < op.sentMs) {
      readTree.addToPrefix(countUpTo(starts, byEnd[next]!.sentMs), -1);
      next += 1;
    }
    const reading = usedBounds(op, input);
    if (!reading) continue;
    // Read late (O3), what this request took may have come back by then: only the capacity bounds it, however refills are timed.
    const level = readTree.minOfPrefix(countUpTo(starts, op.sentMs)) + rate * op.headersMs - 1 + slack;
    const most = Math.floor(Math.min(capacity, level) + input.before + 1e-6);
    const remaining = input.limit - reading[1];
    if (remaining > most) return refuted(id, `#${op.seq} shows ${op.remaining} remaining, ${most} at most can`, [op.seq]);
  }
  return null;
}

/** Lower level of one or more at a rejection, or a reading below it. Everything that may have been counted counts. */
function underused(id: FamilyId, input: FamilyInput, capacity: number, rate: number, slack: number): FamilyVerdict | null {
  const ends = ascending(input.ops.map((op) => op.headersMs).filter(Number.isFinite));
  const decided = input.ops.filter((op) => op.outcome === "admitted" || op.outcome === "rejected");
  const startMs = decided.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  // The level of the bucket at the begin of the history is not known: the first decision may have created it, empty.
  const bases = [Number.isFinite(startMs) ? -rate * startMs : 0, ...ends.map((end) => capacity - rate * end)];
  const tree = createRangeMinTree(bases);
  const byStart = [...input.ops].sort((a, b) => a.sentMs - b.sentMs);
  const prefix = (ms: number): number => 1 + countUpTo(ends, ms);
  let next = 0;
  for (const op of input.ops.filter(({ headersMs }) => Number.isFinite(headersMs)).sort((a, b) => a.headersMs - b.headersMs)) {
    while (next < byStart.length && byStart[next]!.sentMs <= op.headersMs) {
      tree.addToPrefix(prefix(byStart[next]!.headersMs), -1);
      next += 1;
    }
    const own = op.outcome === "rejected" ? 1 : 0;
    const concurrent = concurrentCount(op, byStart, next);
    const level = Math.min(tree.minOfPrefix(prefix(op.sentMs)) + rate * op.sentMs, capacity - concurrent) + own;
    if (op.outcome === "rejected" && level - slack >= 1 + 1e-6) {
      return refuted(id, `#${op.seq} was rejected with at least ${level.toFixed(1)} left`, [op.seq]);
    }
    const reading = usedBounds(op, input);
    if (!reading) continue;
    const highest = input.limit - reading[0];
    if (highest < Math.floor(level - slack + input.before - 1e-6)) {
      return refuted(id, `#${op.seq} shows ${op.remaining} remaining, at least ${Math.floor(level - slack)} must`, [op.seq]);
    }
  }
  return null;
}

/** Requests that overlap this one, itself included, among those sent so far; looks back over a bounded stretch only. */
function concurrentCount(op: FamilyOp, byStart: readonly FamilyOp[], until: number): number {
  let count = 0;
  for (let index = until - 1; index >= 0 && index >= until - 2000; index -= 1) {
    if (byStart[index]!.headersMs >= op.sentMs) count += 1;
  }
  return count;
}

/** Adds to a prefix of positions and asks for the minimum of a prefix, each in O(log n). */
export interface RangeMinTree {
  addToPrefix(count: number, value: number): void;
  minOfPrefix(count: number): number;
}

export function createRangeMinTree(initial: ArrayLike<number>): RangeMinTree {
  let size = 1;
  while (size < Math.max(1, initial.length)) size *= 2;
  const least = new Float64Array(2 * size).fill(Number.POSITIVE_INFINITY);
  const pending = new Float64Array(2 * size);
  for (let index = 0; index < initial.length; index += 1) least[size + index] = initial[index]!;
  for (let node = size - 1; node >= 1; node -= 1) least[node] = Math.min(least[2 * node]!, least[2 * node + 1]!);

  const add = (node: number, from: number, to: number, count: number, value: number): void => {
    if (count <= from) return;
    if (count >= to) {
      least[node] = least[node]! + value;
      pending[node] = pending[node]! + value;
      return;
    }
    const middle = (from + to) / 2;
    add(2 * node, from, middle, count, value);
    add(2 * node + 1, middle, to, count, value);
    least[node] = Math.min(least[2 * node]!, least[2 * node + 1]!) + pending[node]!;
  };
  const min = (node: number, from: number, to: number, count: number): number => {
    if (count <= from) return Number.POSITIVE_INFINITY;
    if (count >= to) return least[node]!;
    const middle = (from + to) / 2;
    return Math.min(min(2 * node, from, middle, count), min(2 * node + 1, middle, to, count)) + pending[node]!;
  };
  return {
    addToPrefix: (count, value) => add(1, 0, size, count, value),
    minOfPrefix: (count) => min(1, 0, size, count),
  };
}
