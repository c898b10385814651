/** How late this process comes to its timers: what is measured in it is late by as much. */
export interface TimerLateness {
  /** Of the timers due between two instants of `performance.now()`, ms. */
  between(fromMs: number, untilMs: number): { readonly p99: number; readonly most: number };
  stop(): void;
}

const everyMs = 50;

/** Looks at a timer every 50 ms. */
export function watchTimers(): TimerLateness {
  const seen: { readonly atMs: number; readonly lateMs: number }[] = [];
  let dueMs = performance.now() + everyMs;
  const timer = setInterval(() => {
    const atMs = performance.now();
    seen.push({ atMs, lateMs: Math.max(0, atMs - dueMs) });
    dueMs = atMs + everyMs;
  }, everyMs);
  return {
    between: (fromMs, untilMs) => {
      const late = seen
        .filter(({ atMs }) => atMs >= fromMs && atMs <= untilMs)
        .map(({ lateMs }) => lateMs)
        .toSorted((a, b) => a - b);
      return { p99: late[Math.floor(0.99 * late.length)] ?? 0, most: late.at(-1) ?? 0 };
    },
    stop: () => clearInterval(timer),
  };
}
