import type { Clock } from "../../core/clock.ts";
import { OutOfPatience } from "./patience.ts";

/** All that a stage waits on the word of its target, together; waits side by side count once. */
export interface WaitAccount {
  /** Throws OutOfPatience where the wait would exceed the account: what needs it is not sent. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWaitAccount(clock: Clock, longestMs: number): WaitAccount {
  let spentMs = 0;
  /** Until when somebody waits already: up to there a wait costs nothing. */
  let paidUntilMs = 0;
  return {
    async sleep(ms, signal) {
      const nowMs = clock.nowMs();
      const costMs = Math.max(0, nowMs + ms - Math.max(nowMs, paidUntilMs));
      const minutes = Math.round(longestMs / 60_000);
      if (spentMs + costMs > longestMs)
        throw new OutOfPatience(
          `the target made the run wait for ${minutes} min, the most that it allows for (limits.requestsPerMinute declares a small limit)`,
        );
      spentMs += costMs;
      paidUntilMs = Math.max(paidUntilMs, nowMs + ms);
      await clock.sleep(ms, signal);
    },
  };
}
