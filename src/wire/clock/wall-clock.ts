import { performance } from "node:perf_hooks";

/** Unix milliseconds that nobody sets: the wall clock as it was at the call of `startWallClock`, and monotonic time since. */
export interface WallClock {
  nowMs(): number;
  /** By how much the wall clock of the machine is ahead of it by now: 0 until somebody sets that clock or the machine sleeps. */
  aheadMs(): number;
}

/** The only reader of the wall clock that is asked more than once in a run: lengths of time are never differences of `Date.now()`. */
export function startWallClock(machineMs = (): number => Date.now()): WallClock {
  const startMs = machineMs() - performance.now();
  const nowMs = (): number => startMs + performance.now();
  return { nowMs, aheadMs: () => machineMs() - nowMs() };
}
