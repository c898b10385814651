import type { LimiterFamily } from "./limiter-family.ts";

/**
 * Generic cell rate algorithm (ITU-T I.371, virtual scheduling): how far the theoretical arrival time lies ahead of the
 * clock, in milliseconds x limit, so that the emission interval `windowMs / limit` is the integer `windowMs`.
 */
export interface ScheduleState {
  ahead: number;
  atMs: number;
}

/** Reset: the theoretical arrival time, when the whole burst is allowed again. */
export const gcra: LimiterFamily<ScheduleState> = {
  id: "gcra",
  create: (_config, nowMs) => ({ ahead: 0, atMs: nowMs }),
  advance: (state, config, nowMs) => {
    if (nowMs <= state.atMs) return;
    state.ahead = Math.max(0, state.ahead - (nowMs - state.atMs) * config.limit);
    state.atMs = nowMs;
  },
  available: (state, config) => Math.floor((config.capacity * config.windowMs - state.ahead) / config.windowMs),
  take: (state, config, _nowMs, amount) => {
    state.ahead += amount * config.windowMs;
  },
  giveBack: (state, config, _nowMs, _takenAtMs, amount) => {
    state.ahead = Math.max(0, state.ahead - amount * config.windowMs);
  },
  punish: (state, config) => {
    state.ahead = Math.max(state.ahead, config.capacity * config.windowMs);
  },
  resetAtMs: (state, config) => state.atMs + Math.ceil(state.ahead / config.limit),
  admitsAtMs: (state, config, nowMs, amount) => {
    if (amount > config.capacity) return Infinity;
    const excess = state.ahead + (amount - config.capacity) * config.windowMs;
    return excess <= 0 ? nowMs : state.atMs + Math.ceil(excess / config.limit);
  },
};
