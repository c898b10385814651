import { performance } from "node:perf_hooks";
import type { Clock } from "../../core/clock.ts";
import { loopWatchOfThread } from "../../wire/clock/loop-watch.ts";

/** The longest delay of this thread since an instant of the clock, in ms. */
export function watchLateness(clock: Clock): (fromMs: number) => number {
  const loop = loopWatchOfThread();
  return (fromMs) => loop.latestSince(performance.now() - (clock.nowMs() - fromMs));
}
