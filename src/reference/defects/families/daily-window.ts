import type { LimiterFamily } from "../../engine/limiter/limiter-family.ts";

/** Count per minute of the day. */
export interface DailyState {
  readonly usedByMinute: Record<string, number>;
}

function minuteOfDay(windowMs: number, nowMs: number): string {
  return String(Math.floor((nowMs % 86_400_000) / windowMs));
}

function count(state: DailyState, windowMs: number, atMs: number, amount: number): void {
  const minute = minuteOfDay(windowMs, atMs);
  state.usedByMinute[minute] = (state.usedByMinute[minute] ?? 0) + amount;
}

/**
 * The window is named by its time of day, so yesterday's count is found again (seen in a proxy that keyed counters
 * by hour and minute).
 */
export const fixedDaily: LimiterFamily<DailyState> = {
  id: "fixed-daily",
  create: () => ({ usedByMinute: {} }),
  advance: () => undefined,
  available: (state, config, nowMs) => config.limit - (state.usedByMinute[minuteOfDay(config.windowMs, nowMs)] ?? 0),
  take: (state, config, nowMs, amount) => count(state, config.windowMs, nowMs, amount),
  giveBack: (state, config, _nowMs, takenAtMs, amount) => count(state, config.windowMs, takenAtMs, -amount),
  punish: (state, config, nowMs) => count(state, config.windowMs, nowMs, 1),
  resetAtMs: (_state, config, nowMs) => (Math.floor(nowMs / config.windowMs) + 1) * config.windowMs,
  admitsAtMs: (state, config, nowMs, amount) => {
    if (amount > config.limit) return Infinity;
    return fixedDaily.available(state, config, nowMs) >= amount ? nowMs : fixedDaily.resetAtMs(state, config, nowMs);
  },
};
