import { countBelow, countUpTo } from "../../core/sorted.ts";

/** An admitted request that read `used` = limit - remaining at some instant in [sentMs, headersMs], after its own decrement. */
export interface CounterOp {
  readonly sentMs: number;
  readonly headersMs: number;
  readonly used: number;
}

/** Why no counter without refill can have produced the readings; indices point into the given ops. */
export type CounterViolation =
  /** One was sent after another had been answered, yet read fewer used. */
  | { readonly kind: "rise" }
  /** More members than slots: all of them must have taken one of the slots above `low` and up to `high` (Hall's condition). */
  | {
      readonly kind: "lost";
      readonly members: readonly number[];
      readonly low: number;
      readonly high: number;
      readonly lowWitness: number | null;
      readonly highWitness: number | null;
    }
  /** A slot was taken, but no known request can have taken it. */
  | { readonly kind: "gap" }
  | { readonly kind: "range" };

/**
 * R2: can the readings come from a counter that each request decrements once and reads then or later, until its answer?
 * Slot k is the k-th decrement; it lies in [open(k), close(k)] = [max sent of readers below k, min answer of readers from k on].
 * A request may take the slots whose span meets its own interval. Both bounds grow with k, so that the graph is convex and
 * earliest-deadline-first is exact (Glover 1967). `fillers`: requests that may have taken a slot without being known to have.
 * `renewal`: so many slots at most may have been given back meanwhile; each reading may then be of as many decrements more.
 * O(n log n). Null: such a counter exists.
 */
export function findCounterViolation(ops: readonly CounterOp[], fillers: number, renewal = 0): CounterViolation | null {
  if (ops.length === 0) return null;
  const bounds = slotBounds(ops);
  if (ops.some((op) => op.used < 1)) return { kind: "range" };
  if (renewal === 0 && bounds.open.some((opened, index) => opened > bounds.close[index]!)) return { kind: "rise" };
  return matchSlots(ops, bounds, fillers, renewal);
}

interface SlotBounds {
  readonly first: number;
  readonly last: number;
  /** Index 0 is slot `first`. */
  readonly open: Float64Array;
  readonly close: Float64Array;
}

function slotBounds(ops: readonly CounterOp[]): SlotBounds {
  const byUsed = ops.map((_, index) => index).sort((a, b) => ops[a]!.used - ops[b]!.used);
  const last = ops[byUsed.at(-1)!]!.used;
  // All slots up to the lowest reading have the same span: the last n of them are as good as any below.
  const first = Math.max(1, ops[byUsed[0]!]!.used - ops.length + 1);
  const size = Math.max(0, last - first + 1);
  const open = new Float64Array(size).fill(Number.NEGATIVE_INFINITY);
  const close = new Float64Array(size).fill(Number.POSITIVE_INFINITY);
  let next = 0;
  let latest = Number.NEGATIVE_INFINITY;
  for (let slot = 0; slot < size; slot += 1) {
    while (next < byUsed.length && ops[byUsed[next]!]!.used < first + slot)
      latest = Math.max(latest, ops[byUsed[next++]!]!.sentMs);
    open[slot] = latest;
  }
  next = byUsed.length - 1;
  let earliest = Number.POSITIVE_INFINITY;
  for (let slot = size - 1; slot >= 0; slot -= 1) {
    while (next >= 0 && ops[byUsed[next]!]!.used >= first + slot) earliest = Math.min(earliest, ops[byUsed[next--]!]!.headersMs);
    close[slot] = earliest;
  }
  return { first, last, open, close };
}

interface Job {
  readonly index: number;
  readonly release: number;
  readonly deadline: number;
}

function matchSlots(
  ops: readonly CounterOp[],
  { first, last, open, close }: SlotBounds,
  fillers: number,
  renewal: number,
): CounterViolation | null {
  const jobs = ops
    .map((op, index): Job => ({
      index,
      release: first + countBelow(close, op.sentMs),
      deadline: Math.min(first + countUpTo(open, op.headersMs) - 1, op.used) + renewal,
    }))
    .sort((a, b) => a.release - b.release);
  const queue = createDeadlineQueue();
  const taken: Job[] = [];
  let next = 0;
  let spare = fillers - (first - 1);
  if (spare < 0) return { kind: "gap" };
  let idleAt = first - 1;
  for (let slot = first; slot <= last || queue.size() > 0 || next < jobs.length; slot += 1) {
    while (next < jobs.length && jobs[next]!.release <= slot) queue.push(jobs[next++]!);
    const job = queue.pop();
    if (job && job.deadline < slot) return explainLoss(ops, job, taken, idleAt, slot);
    if (job) {
      taken[slot - first] = job;
    } else {
      if (slot <= last && spare <= 0) return { kind: "gap" };
      if (slot <= last) spare -= 1;
      idleAt = slot;
    }
  }
  return null;

  function explainLoss(all: readonly CounterOp[], late: Job, slots: readonly Job[], idle: number, at: number): CounterViolation {
    // Walk back to the last slot that was idle or went to a later deadline: everything after it competes for the same slots.
    let low = at - 1;
    while (low > idle && slots[low - first]!.deadline <= late.deadline) low -= 1;
    const members = [...slots.slice(low + 1 - first, at - first).map((job) => job.index), late.index];
    return { kind: "lost", members, low, high: late.deadline, ...witnesses(all, low, late.deadline) };
  }
}

/** The reader that proves that slots up to `low` were gone first, and the one that proves that `high` was not passed yet. */
function witnesses(
  ops: readonly CounterOp[],
  low: number,
  high: number,
): { readonly lowWitness: number | null; readonly highWitness: number | null } {
  let lowWitness: number | null = null;
  let highWitness: number | null = null;
  ops.forEach((op, index) => {
    if (op.used >= low && (lowWitness === null || op.headersMs < ops[lowWitness]!.headersMs)) lowWitness = index;
    if (op.used <= high && (highWitness === null || op.sentMs > ops[highWitness]!.sentMs)) highWitness = index;
  });
  return { lowWitness: low < 1 ? null : lowWitness, highWitness };
}

interface DeadlineQueue {
  push(job: Job): void;
  pop(): Job | undefined;
  size(): number;
}

/** Binary heap by deadline. */
function createDeadlineQueue(): DeadlineQueue {
  const heap: Job[] = [];
  const swap = (a: number, b: number): void => {
    const kept = heap[a]!;
    heap[a] = heap[b]!;
    heap[b] = kept;
  };
  return {
    size: () => heap.length,
    push: (job) => {
      heap.push(job);
      let child = heap.length - 1;
      while (child > 0) {
        const parent = (child - 1) >> 1;
        if (heap[parent]!.deadline <= heap[child]!.deadline) break;
        swap(parent, child);
        child = parent;
      }
    },
    pop: () => {
      const top = heap[0];
      const moved = heap.pop();
      if (heap.length === 0 || moved === undefined) return top;
      heap[0] = moved;
      for (let parent = 0; ;) {
        const left = 2 * parent + 1;
        let least = parent;
        if (left < heap.length && heap[left]!.deadline < heap[least]!.deadline) least = left;
        if (left + 1 < heap.length && heap[left + 1]!.deadline < heap[least]!.deadline) least = left + 1;
        if (least === parent) break;
        swap(parent, least);
        parent = least;
      }
      return top;
    },
  };
}
