import type { Clock } from "../../core/clock.ts";
import type { WaitAccount } from "./wait-account.ts";

/** The result of a look for an effect. `never`: this target cannot show it, or there is nothing to show. */
export type Seen = "all" | "some" | "none" | "never";

/** Awaits what a target may lawfully show late, within bounds. */
export interface Lookout {
  /** Looks at once and after growing pauses, until all is seen or the time is over. */
  until(longestMs: number, signal: AbortSignal, look: (round: number) => Promise<Seen>): Promise<void>;
  /** The longest time that it took so far until all was seen; 0: never more than the first look. */
  latestMs(): number;
}

/**
 * An effect that never showed, although it was awaited for the whole time, is looked for once from then on: a target that shows
 * nothing costs this time once, and not for every case with its repetition. An effect that shows late keeps the whole time.
 */
export function createLookout(clock: Clock, waits: WaitAccount): Lookout {
  let [wasSeen, wasAwaited] = [false, false];
  let latestMs = 0;
  return {
    latestMs: () => latestMs,
    async until(longestMs, signal, look) {
      const startMs = clock.nowMs();
      const deadlineMs = startMs + longestMs;
      for (let [round, pauseMs] = [1, 1000]; ; round += 1, pauseMs *= 2) {
        const seen = await look(round);
        if (seen === "all" || seen === "some") wasSeen = true;
        if (seen === "all" && round > 1) latestMs = Math.max(latestMs, clock.nowMs() - startMs);
        if (seen === "all" || seen === "never" || (wasAwaited && !wasSeen)) return;
        const restMs = deadlineMs - clock.nowMs();
        if (restMs <= 0) {
          wasAwaited = true;
          return;
        }
        await waits.sleep(Math.min(pauseMs, restMs), signal);
      }
    },
  };
}
