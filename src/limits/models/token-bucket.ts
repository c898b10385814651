import { ascending, countUpTo } from "../sorted.ts";
import { refuted, usedBounds, type Family, type FamilyInput, type FamilyOp, type FamilyVerdict } from "./family.ts";
import { createRangeMinTree } from "./range-min-tree.ts";

/**
 * Token bucket and GCRA by their envelope: level(h) = min over t <= h of [capacity + rate (h - t) - taken in [t, h]].
 * The upper level counts what was certainly taken, the lower level what may have been. `batchMs` allows for refills that come
 * late, all at once; the level at the start is not assumed.
 */
export const tokenBucket: Family = bucketFamily("token-bucket", "Token bucket or GCRA, continuous refill", 0);
export const batchRefill: Family = bucketFamily("batch-refill", "Token bucket refilled in batches of up to 12 s", 12_000);

function bucketFamily(id: string, title: string, batchMs: number): Family {
  return {
    id,
    title,
    examine: (input) => {
      let last: FamilyVerdict | null = null;
      for (const capacity of capacities(input)) {
        last = examineBucket(id, input, capacity, batchMs);
        if (last.possible) return last;
      }
      return last ?? { possible: true, parameters: {} };
    },
  };
}

/** A bucket may hold less than the limit per window: then as much as was ever seen to remain, or to be admitted at once. */
function capacities(input: FamilyInput): readonly number[] {
  const { limit, ops, before, rounding } = input;
  const seen = ops.reduce(
    (most, op) => (op.remaining === null || op.outcome !== "admitted" ? most : Math.max(most, op.remaining)),
    0,
  );
  const smaller = Math.min(limit, seen + 1 - before + (rounding - 1));
  return smaller < limit ? [limit, smaller] : [limit];
}

function examineBucket(id: string, input: FamilyInput, capacity: number, batchMs: number): FamilyVerdict {
  const { limit, windowMs, rateRatio, fuzzMs } = input;
  const fast = (limit / windowMs) * (1 + rateRatio);
  const slow = (limit / windowMs) * (1 - rateRatio);
  // Skewed instances write the level at each other's instants.
  const slack = fast * (fuzzMs + batchMs) + 1e-6;
  const parameters = {
    limit,
    capacity,
    refillPerSecond: Math.round((limit / windowMs) * 1e6) / 1000,
    batchMs,
    before: input.before === 1,
  };
  return (
    overdrawn(id, input, capacity, fast, slack) ?? underused(id, input, capacity, slow, slack) ?? { possible: true, parameters }
  );
}

/** Upper level below zero, or a reading above it. */
function overdrawn(id: string, input: FamilyInput, capacity: number, rate: number, slack: number): FamilyVerdict | null {
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
    // Read late (O3), what this request took may have come back by then: only the capacity bounds it.
    const level = Math.min(capacity, readTree.minOfPrefix(countUpTo(starts, op.sentMs)) + rate * op.headersMs - 1) + input.before;
    const remaining = input.limit - reading[1];
    if (remaining > Math.floor(level + slack + 1e-6)) {
      return refuted(id, `#${op.seq} shows ${remaining} remaining, ${Math.floor(level + slack)} at most can`, [op.seq]);
    }
  }
  return null;
}

/** Lower level of one or more at a rejection, or a reading below it. Everything that may have been counted counts. */
function underused(id: string, input: FamilyInput, capacity: number, rate: number, slack: number): FamilyVerdict | null {
  const ends = ascending(input.ops.map((op) => op.headersMs).filter(Number.isFinite));
  const startMs = input.ops[0]?.sentMs ?? 0;
  // What the bucket held when the history began is not known: it may have been empty.
  const bases = [-rate * startMs, ...ends.map((end) => capacity - rate * end)];
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
      return refuted(id, `#${op.seq} shows ${input.limit - reading[1]} remaining, at least ${Math.floor(level - slack)} must`, [
        op.seq,
      ]);
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
