import type { LimiterConfig, LimiterFamily } from "./limiter-family.ts";

/** Counts of the current window of the clock and of the one before, which fades linearly. */
export interface TwoWindowState {
  startMs: number;
  current: number;
  previous: number;
}

/** Used units at an instant of the current or the next window if nobody comes until then. */
function usedAt(state: TwoWindowState, config: LimiterConfig, instantMs: number): number {
  const elapsed = instantMs - state.startMs;
  const { windowMs } = config;
  if (elapsed < windowMs) return state.current + Math.floor((state.previous * (windowMs - elapsed)) / windowMs);
  return elapsed < 2 * windowMs ? Math.floor((state.current * (2 * windowMs - elapsed)) / windowMs) : 0;
}

/** Reset: end of the current window of the clock. */
export const slidingCounter: LimiterFamily<TwoWindowState> = {
  id: "sliding-counter",
  create: (config, nowMs) => ({ startMs: Math.floor(nowMs / config.windowMs) * config.windowMs, current: 0, previous: 0 }),
  advance: (state, config, nowMs) => {
    const startMs = Math.floor(nowMs / config.windowMs) * config.windowMs;
    if (startMs <= state.startMs) return;
    state.previous = startMs === state.startMs + config.windowMs ? state.current : 0;
    state.current = 0;
    state.startMs = startMs;
  },
  available: (state, config, nowMs) => config.limit - usedAt(state, config, nowMs),
  take: (state, _config, _nowMs, amount) => {
    state.current += amount;
  },
  giveBack: (state, config, _nowMs, takenAtMs, amount) => {
    if (takenAtMs >= state.startMs) state.current -= amount;
    else if (takenAtMs >= state.startMs - config.windowMs) state.previous -= amount;
  },
  punish: (state) => {
    state.current += 1;
  },
  resetAtMs: (state, config) => state.startMs + config.windowMs,
  admitsAtMs: (state, config, nowMs, amount) => {
    if (amount > config.limit) return Infinity;
    // Usage never rises while nobody comes, so bisection finds the first instant that fits.
    let low = nowMs;
    let high = state.startMs + 2 * config.windowMs;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (usedAt(state, config, middle) + amount <= config.limit) high = middle;
      else low = middle + 1;
    }
    return low;
  },
};

/** Reset: when both windows have faded and the whole allowance is back. */
export const slidingCounterFull: LimiterFamily<TwoWindowState> = {
  ...slidingCounter,
  id: "sliding-counter-full",
  resetAtMs: (state, config) => state.startMs + (state.current > 0 ? 2 : 1) * config.windowMs,
};
