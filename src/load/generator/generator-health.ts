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
}

export interface HealthMonitor {
  /** Closes the running second; call it once a second. */
  sample(second: number): HealthSecond;
  stop(): void;
}

/** Watches the loop it is called on; costs nothing measurable. */
export function watchGenerator(): HealthMonitor {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  let utilization: EventLoopUtilization = performance.eventLoopUtilization();
  const readRunDelayMs = runQueueDelayOfThread();
  let runDelayMs = readRunDelayMs?.() ?? null;
  return {
    sample(second) {
      const now = performance.eventLoopUtilization();
      const runDelayNow = readRunDelayMs?.() ?? null;
      // The monitor counts its own interval of 1 ms as delay.
      const loopDelayMaxMs = delay.max > 0 && delay.max < 1e12 ? Math.max(0, delay.max / 1e6 - 1) : 0;
      const result = {
        second,
        loopUtilization: performance.eventLoopUtilization(now, utilization).utilization,
        loopDelayMaxMs,
        runDelayMs: runDelayMs === null || runDelayNow === null ? null : runDelayNow - runDelayMs,
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
