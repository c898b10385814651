import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../core/clock.ts";

/** The clock of this machine; 0 is the moment of the call. */
export function createRealClock(): Clock {
  const startMs = performance.now();
  return {
    nowMs: () => performance.now() - startMs,
    wallMs: () => Date.now(),
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      try {
        await delay(Math.max(0, ms), undefined, signal ? { signal } : {});
      } catch (error) {
        signal?.throwIfAborted();
        throw error;
      }
    },
  };
}
