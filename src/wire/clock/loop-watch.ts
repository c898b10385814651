import { performance } from "node:perf_hooks";

/** How late this thread came to what it had to do: timers, and sockets that were readable. */
export interface LoopWatch {
  /** The most since an instant of `performance.now()`, milliseconds. A delay that began between two looks was longer by `unseenMs` at most. */
  latestSince(fromMs: number): number;
}

interface Lateness {
  readonly atMs: number;
  readonly lateMs: number;
}

/** A thread that does not run is not noticed before it runs again: it is asked so often. */
const everyMs = 20;
/** Timers count in whole milliseconds: one that fires up to this much later is on time. */
const timerStepMs = 1;
/**
 * A delay that is over before the next look is not seen, and of a longer one the part before it is not: whatever is concluded from a span has
 * to leave so much open. No judge concludes from less than half a second.
 */
export const unseenMs: number = everyMs + timerStepMs;
/** Hours of falling lateness fill it; the oldest go first. */
const mostKept = 4096;

let shared: LoopWatch | null = null;

/** The watch of the calling thread, which runs from the first call on and does not keep the process alive. */
export function loopWatchOfThread(): LoopWatch {
  shared ??= watchLoop();
  return shared;
}

/**
 * One timer for all exchanges of a thread: an exchange asks once, when it ends. Kept is what nothing later exceeds, so that the first
 * entry of a span is the most of it.
 */
function watchLoop(): LoopWatch {
  const falling: Lateness[] = [];
  let dueMs = performance.now() + everyMs;
  /** When the look that is under way was due: its turn ends when the sockets were read, and those were late by all of it. */
  let lookingFromMs: number | null = null;
  const lateAt = (nowMs: number): number => Math.max(0, nowMs - (lookingFromMs ?? dueMs) - timerStepMs);
  const keep = (): number => {
    const atMs = performance.now();
    const lateMs = lateAt(atMs);
    while ((falling.at(-1)?.lateMs ?? Number.POSITIVE_INFINITY) <= lateMs) falling.pop();
    falling.push({ atMs, lateMs });
    if (falling.length > mostKept) falling.shift();
    return atMs;
  };
  const look = (): void => {
    const atMs = keep();
    lookingFromMs = dueMs;
    dueMs = atMs + everyMs;
    setImmediate(endLook);
    timer.refresh();
  };
  const endLook = (): void => {
    keep();
    lookingFromMs = null;
  };
  const timer = setTimeout(look, everyMs).unref();
  return {
    latestSince(fromMs) {
      // The timer itself may be waiting for its turn.
      return Math.max(lateAt(performance.now()), falling[firstAfter(falling, fromMs)]?.lateMs ?? 0);
    },
  };
}

function firstAfter(sorted: readonly Lateness[], fromMs: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle]?.atMs ?? 0) < fromMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
