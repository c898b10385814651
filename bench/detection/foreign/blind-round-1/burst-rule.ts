import type { AccountBook } from "../account-book.ts";

interface BurstRule {
  /** Requests with the same text are counted together; the name of the key by default. */
  readonly keyOf?: (name: string) => string;
  /** A request during the cooldown begins it anew. */
  readonly restarts?: boolean;
  /** The time over which requests are counted. Default: a minute. */
  readonly windowMs?: number;
  /** The cooldown begins with the last request allowed. */
  readonly atOnce?: boolean;
}

/** Another rule of bursts in place of that of the book. */
export function burstRule(book: AccountBook, rule: BurstRule): void {
  const { keyOf = (name: string): string => name, restarts = false, atOnce = false, windowMs = 60_000 } = rule;
  const bursts = new Map<string, { times: number[]; coolsUntilMs: number }>();
  book.cools = (name) => {
    const { burst_limit: limit, cooldown_seconds: seconds } = book.holders.get(name)?.settings ?? {};
    const nowMs = book.nowMs();
    const key = keyOf(name);
    const burst = bursts.get(key) ?? { times: [], coolsUntilMs: 0 };
    bursts.set(key, burst);
    const coolMs = (seconds ?? 1) * 1000;
    if (burst.coolsUntilMs > nowMs) {
      if (restarts) burst.coolsUntilMs = nowMs + coolMs;
      return burst.coolsUntilMs - nowMs;
    }
    burst.times = burst.times.filter((atMs) => atMs > nowMs - windowMs);
    const most = limit ?? Number.POSITIVE_INFINITY;
    if (burst.times.length >= most) {
      Object.assign(burst, { times: [], coolsUntilMs: nowMs + coolMs });
      return coolMs;
    }
    burst.times.push(nowMs);
    if (atOnce && burst.times.length >= most) Object.assign(burst, { times: [], coolsUntilMs: nowMs + coolMs });
    return 0;
  };
}
