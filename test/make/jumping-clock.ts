import type { Clock } from "../../src/core/clock.ts";

/** Time passes only while somebody sleeps, and then at once; `during` hears the instant at which a sleep begins. */
export function jumpingClock(during: (nowMs: number) => void = () => {}): Clock {
  let nowMs = 0;
  return {
    nowMs: () => nowMs,
    wallMs: () => 1_790_000_000_000 + nowMs,
    sleep: (ms) => {
      during(nowMs);
      nowMs += Math.max(0, ms);
      return Promise.resolve();
    },
  };
}
