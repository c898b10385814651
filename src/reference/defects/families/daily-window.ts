import type { LimiterFamily } from "../../engine/limiter/limiter-family.ts";

/** Count per minute of the day. */
export interface DailyState {
  readonly usedByMinute: Record<string, number>;
}

function minuteOfDay(windowMs: number, nowMs: number): string {
  return String(Math.floor((nowMs % 86_400_000) / windowMs));
}

/**
 * The window is named by its time of day, so yesterday's count is found again (seen in a proxy that keyed counters
 * by hour and minute).
 */
export const fixedDaily: LimiterFamily<DailyState> = {
  id: "fixed-daily",
  create: () => ({ usedByMinute: {} }),
  available: (state, config, nowMs) => config.limit - (state.usedByMinute[minuteOfDay(config.windowMs, nowMs)] ?? 0),
  take: (state, config, nowMs, amount) => {
    const minute = minuteOfDay(config.windowMs, nowMs);
    state.usedByMinute[minute] = (state.usedByMinute[minute] ?? 0) + amount;
  },
  giveBack: (state, config, _nowMs, takenAtMs, amount) => {
    const minute = minuteOfDay(config.windowMs, takenAtMs);
    state.usedByMinute[minute] = (state.usedByMinute[minute] ?? 0) - amount;
  },
  punish: (state, config, nowMs) => {
    const minute = minuteOfDay(config.windowMs, nowMs);
    state.usedByMinute[minute] = (state.usedByMinute[minute] ?? 0) + 1;
  },
  resetAtMs: (_state, config, nowMs) => (Math.floor(nowMs / config.windowMs) + 1) * config.windowMs,
  admitsAtMs: (state, config, nowMs, amount) => {
    if (amount > config.limit) return Infinity;
    const free = config.limit - (state.usedByMinute[minuteOfDay(config.windowMs, nowMs)] ?? 0);
    return free >= amount ? nowMs : (Math.floor(nowMs / config.windowMs) + 1) * config.windowMs;
  },
};
