import { type FieldRules, type FieldWindow, lawfulRules } from "./field-rules.ts";

interface Log {
  readonly times: number[];
  /** The minute of the clock whose tokens are counted. */
  minute: number;
}

const minuteEndMs = (nowMs: number): number => (Math.floor(nowMs / 60_000) + 1) * 60_000;

/** Requests of the last minute, each with its instant; tokens by the minutes of the clock. */
export function slidingLog(counted: "served" | "all"): Partial<FieldRules> {
  const logs = new WeakMap<FieldWindow, Log>();
  let latestMs = 0;
  const logOf = (window: FieldWindow): Log => logs.get(window)!;
  return {
    windowAt: (known, nowMs, windowMs) => {
      latestMs = nowMs;
      const window = known ?? { startMs: nowMs, endMs: nowMs + windowMs, count: 0, tokens: 0 };
      const minute = Math.floor(nowMs / windowMs);
      const log = logs.get(window) ?? { times: [], minute };
      logs.set(window, log);
      while (log.times.length > 0 && log.times[0]! <= nowMs - windowMs) log.times.shift();
      if (log.minute !== minute) window.tokens = 0;
      log.minute = minute;
      window.count = log.times.length;
      window.endMs = (log.times[0] ?? nowMs) + windowMs;
      return window;
    },
    admits: (window, limit, call) => {
      const admitted = lawfulRules.admits(window, limit, call);
      if (admitted || counted === "all") logOf(window).times.push(latestMs);
      return admitted;
    },
    // A request that the requests let in was refused for its tokens.
    waitMs: ({ count, endMs }, nowMs) => (count < lawfulRules.limit ? minuteEndMs(nowMs) : endMs) - nowMs,
    limitFields: (fields, { nowMs }) => ({
      ...fields,
      "x-ratelimit-reset-tokens": String(minuteEndMs(nowMs) / 1000),
    }),
  };
}
