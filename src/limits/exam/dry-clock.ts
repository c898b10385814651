import type { Clock } from "../../core/clock.ts";

/** A clock that only counts: sleeping takes no time. */
export interface DryClock extends Clock {
  /** Passes time for a request that is under way. */
  advance(ms: number): void;
  /** Resolves when somebody has slept past that instant. */
  until(atMs: number): Promise<void>;
}

/** The clock of the dry run begins at noon of some day, Unix ms. */
const noonMs = Date.UTC(2026, 0, 14, 12);

/** `beginMs`: how far into a minute of the clock it begins. */
export function createDryClock(beginMs: number): DryClock {
  const epochMs = noonMs + beginMs;
  let nowMs = 0;
  let waiting: readonly { readonly atMs: number; readonly wake: () => void }[] = [];
  const advance = (ms: number): void => {
    nowMs += Math.max(0, ms);
    if (waiting.length === 0) return;
    const due = waiting.filter(({ atMs }) => atMs <= nowMs);
    waiting = waiting.filter(({ atMs }) => atMs > nowMs);
    for (const { wake } of due) wake();
  };
  return {
    nowMs: () => nowMs,
    wallMs: () => epochMs + nowMs,
    advance,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      advance(ms);
    },
    until: (atMs) =>
      atMs <= nowMs
        ? Promise.resolve()
        : new Promise((resolve) => {
            waiting = [...waiting, { atMs, wake: resolve }];
          }),
  };
}
