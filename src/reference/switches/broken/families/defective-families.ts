import { createWindowFamily, onTheClock, openedByRequest, type WindowState } from "../../../engine/limiter/fixed-window.ts";
import { counting, type CreateCounter, type LimiterFamily } from "../../../engine/limiter/limiter-family.ts";
import { slidingLog, type LogState } from "../../../engine/limiter/sliding-log.ts";

export type DefectiveFamilyId =
  | "fixed-never-resets"
  | "fixed-refreshed"
  | "fixed-leaking"
  | "fixed-first-free"
  | "fixed-daily"
  | "fixed-carried-over"
  | "fixed-first-larger"
  | "log-late-cleanup";

/** Counts first and drops expired entries afterwards, so the first request after a pause meets old ones. */
const logLateCleanup: LimiterFamily<LogState> = {
  ...slidingLog,
  id: "log-late-cleanup",
  advance: () => undefined,
  available: (state, config, nowMs) => {
    const seen = config.limit - state.total;
    slidingLog.advance(state, config, nowMs);
    return seen;
  },
};

const clockWindows = createWindowFamily("fixed-clock", onTheClock);

/** A counter is created below zero, so that the first window of a key holds a quarter more; what remains is never more than the limit. */
const fixedFirstLarger: LimiterFamily<WindowState> = {
  ...clockWindows,
  id: "fixed-first-larger",
  create: (config) => ({ startMs: null, used: -Math.ceil(config.limit / 4) }),
  available: (state, config) => Math.min(config.limit, config.limit - state.used),
};

/** The part of a window that was not used is added to the next one. */
const fixedCarriedOver: LimiterFamily<WindowState> = {
  ...clockWindows,
  id: "fixed-carried-over",
  advance: (state, config, nowMs) => {
    const startMs = onTheClock.startOf(nowMs, config);
    if (state.startMs !== null && startMs > state.startMs) {
      const isSilent = startMs > state.startMs + config.windowMs;
      state.used = isSilent ? -config.limit : Math.max(-config.limit, Math.min(0, state.used - config.limit));
    }
    state.startMs = startMs;
  },
  available: (state, config) => Math.min(config.limit, config.limit - state.used),
};

/** Count per minute of the day. */
interface DailyState {
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
const fixedDaily: LimiterFamily<DailyState> = {
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

/** Ways to count that no reading of the specification allows. */
export const defectiveFamilies: Readonly<Record<DefectiveFamilyId, CreateCounter>> = {
  // The count outlives its window.
  "fixed-never-resets": counting(createWindowFamily("fixed-never-resets", { ...onTheClock, carry: (used) => used })),
  // Every request prolongs the window, as EXPIRE after each INCR does.
  "fixed-refreshed": counting(createWindowFamily("fixed-refreshed", { ...openedByRequest, refreshes: true })),
  // Part of the used slots is never returned.
  "fixed-leaking": counting(createWindowFamily("fixed-leaking", { ...onTheClock, carry: (used) => Math.ceil(used / 4) })),
  // The request that opens the window sets the counter to 0 instead of 1.
  "fixed-first-free": counting(
    createWindowFamily("fixed-first-free", {
      ...onTheClock,
      alwaysOpen: false,
      weigh: (state, amount) => (state.startMs === null ? amount - 1 : amount),
    }),
  ),
  "fixed-daily": counting(fixedDaily),
  "fixed-first-larger": counting(fixedFirstLarger),
  "fixed-carried-over": counting(fixedCarriedOver),
  "log-late-cleanup": counting(logLateCleanup),
};
