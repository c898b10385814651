import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../core/clock.ts";
import { startWallClock, type WallClock } from "./wall-clock.ts";

/** Longest delay that a timer of Node takes; a longer one would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/**
 * The clock of this machine. It shows `beginsAtMs` at the moment of the call: the clock of a later stage begins where the one
 * before it stopped, so that all times of a run can be compared, and goes on with its wall clock (`wall`).
 */
export function createRealClock(beginsAtMs = 0, wall: WallClock = startWallClock()): Clock {
  const startMs = performance.now() - beginsAtMs;
  const nowMs = (): number => performance.now() - startMs;
  return {
    nowMs,
    wallMs: () => wall.nowMs(),
    async sleep(ms, signal) {
      const untilMs = nowMs() + ms;
      // Timers may also fire a little early.
      for (let leftMs = ms; leftMs > 0; leftMs = untilMs - nowMs()) {
        signal?.throwIfAborted();
        try {
          await delay(Math.min(Math.ceil(leftMs), longestTimerMs), undefined, signal ? { signal } : {});
        } catch (error) {
          signal?.throwIfAborted();
          throw error;
        }
      }
      signal?.throwIfAborted();
    },
  };
}
