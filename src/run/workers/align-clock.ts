import type { Clock } from "../../core/clock.ts";
import { monotonicOriginMs } from "../../wire/clock/monotonic-origin.ts";
import { createRealClock } from "../../wire/clock/real-clock.ts";

/** The run clock as a thread is given it. */
export interface ClockOrigin {
  /** CLOCK_MONOTONIC at zero of the run clock, in milliseconds. */
  readonly originMs: number;
  /** Unix milliseconds at zero of the run clock: threads do not read the clock of the machine. */
  readonly wallAtZeroMs: number;
}

/** The run clock of the thread that started this one: both read CLOCK_MONOTONIC. */
export function alignClock({ originMs, wallAtZeroMs }: ClockOrigin): Clock {
  const local = createRealClock();
  const shiftMs = monotonicOriginMs(() => local.nowMs()) - originMs;
  const nowMs = (): number => local.nowMs() + shiftMs;
  return {
    nowMs,
    wallMs: () => wallAtZeroMs + nowMs(),
    sleep: (ms, signal) => local.sleep(ms, signal),
  };
}
