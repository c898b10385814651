import type { LimiterFamily } from "./limiter-family.ts";

/** Every consumption of the last window with its instant; an entry counts in [atMs, atMs + window). */
export interface LogState {
  entries: { readonly atMs: number; amount: number }[];
  total: number;
}

function record(state: LogState, nowMs: number, amount: number): void {
  const last = state.entries.at(-1);
  if (last?.atMs === nowMs) last.amount += amount;
  else state.entries.push({ atMs: nowMs, amount });
  state.total += amount;
}

/** Reset: when the oldest request leaves the window and the first unit comes back. */
export const slidingLog: LimiterFamily<LogState> = {
  id: "sliding-log",
  create: () => ({ entries: [], total: 0 }),
  advance: (state, config, nowMs) => {
    const kept = state.entries.findIndex((entry) => entry.atMs + config.windowMs > nowMs);
    const expired = state.entries.splice(0, kept < 0 ? state.entries.length : kept);
    for (const entry of expired) state.total -= entry.amount;
  },
  available: (state, config) => config.limit - state.total,
  take: (state, _config, nowMs, amount) => record(state, nowMs, amount),
  giveBack: (state, _config, _nowMs, takenAtMs, amount) => {
    const entry = state.entries.find((candidate) => candidate.atMs === takenAtMs);
    if (entry === undefined) return;
    const returned = Math.min(amount, entry.amount);
    entry.amount -= returned;
    state.total -= returned;
  },
  punish: (state, _config, nowMs) => record(state, nowMs, 1),
  resetAtMs: ({ entries: [oldest] }, config, nowMs) => (oldest === undefined ? nowMs : oldest.atMs + config.windowMs),
  admitsAtMs: (state, config, nowMs, amount) => {
    if (amount > config.limit) return Infinity;
    let missing = state.total + amount - config.limit;
    for (const entry of state.entries) {
      if (missing <= 0) break;
      missing -= entry.amount;
      if (missing <= 0) return entry.atMs + config.windowMs;
    }
    return nowMs;
  },
};

/** Reset: when the newest request leaves the window and the whole allowance is back. */
export const slidingLogFull: LimiterFamily<LogState> = {
  ...slidingLog,
  id: "sliding-log-full",
  resetAtMs: ({ entries }, config, nowMs) => {
    const newest = entries.at(-1);
    return newest === undefined ? nowMs : newest.atMs + config.windowMs;
  },
};
