import { monitorEventLoopDelay, performance, type EventLoopUtilization } from "node:perf_hooks";
import { runQueueDelayOfThread } from "../../wire/capture/run-queue-delay.ts";

/** State of the sending process over one second of the run clock. */
export interface HealthSecond {
  readonly second: number;
  /** Share of the second in which the event loop was busy, 0 to 1. */
  readonly loopUtilization: number;
  /** Longest time between two turns of the loop. Percentiles of this monitor are not used: it samples once per stall. */
  readonly loopDelayMaxMs: number;
  /** Time that the thread was ready but had no processor; null where the system does not say. */
  readonly runDelayMs: number | null;
  /** Most time in which nothing was read, of all delays together; absent in older records. */
  readonly heldMs?: number;
}

/** The result of one look. */
export interface HealthSample extends Omit<HealthSecond, "second"> {
  /** Since the look before. */
  readonly windowMs: number;
}

interface HealthMonitor {
  /** The results since the last call; call it once a second. */
  sample(): HealthSample;
  stop(): void;
}

/** Timers are late by some milliseconds. */
const shortestWindowMs = 900;

const resolutionMs = 1;

/** Watches the loop it is called on; costs nothing measurable. */
export function watchGenerator(): HealthMonitor {
  const delay = monitorEventLoopDelay({ resolution: resolutionMs });
  delay.enable();
  let utilization: EventLoopUtilization = performance.eventLoopUtilization();
  const readRunDelayMs = runQueueDelayOfThread();
  let sampledAtMs = performance.now();
  let runDelayMs = readRunDelayMs?.() ?? null;
  return {
    sample() {
      const nowMs = performance.now();
      const windowMs = nowMs - sampledAtMs;
      sampledAtMs = nowMs;
      const now = performance.eventLoopUtilization();
      const runDelayNow = readRunDelayMs?.() ?? null;
      // The monitor counts its own interval as delay.
      const loopDelayMaxMs = delay.max > 0 && delay.max < 1e12 ? Math.max(0, delay.max / 1e6 - resolutionMs) : 0;
      const utilized = performance.eventLoopUtilization(now, utilization).utilization;
      const result = {
        windowMs,
        // Of a second that is not over yet only a part can have been busy.
        loopUtilization: utilized * Math.min(1, windowMs / shortestWindowMs),
        loopDelayMaxMs,
        runDelayMs: runDelayMs === null || runDelayNow === null ? null : runDelayNow - runDelayMs,
        // Its own work, and the milliseconds in which its timer did not come: without a processor a thread does not know what it missed.
        heldMs: Math.min(windowMs, utilized * windowMs + Math.max(0, windowMs - delay.count * resolutionMs)),
      };
      delay.reset();
      utilization = now;
      runDelayMs = runDelayNow;
      return result;
    },
    stop: () => {
      delay.disable();
    },
  };
}
