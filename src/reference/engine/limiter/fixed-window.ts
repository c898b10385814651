import type { LimiterConfig, LimiterFamily } from "./limiter-family.ts";

export interface WindowState {
  /** null: no window is open; the next request opens one. */
  startMs: number | null;
  used: number;
}

/** How a fixed window begins, ends and counts. */
export interface WindowRules {
  /** Start of the window that a request at `nowMs` opens. */
  startOf(nowMs: number, config: LimiterConfig): number;
  /** Whether the open window is over. */
  isOver(startMs: number, nowMs: number, config: LimiterConfig): boolean;
  /** The count that stays when a window ends. */
  carry(used: number): number;
  /** Units that a request adds. */
  weigh(state: WindowState, amount: number): number;
  /** Whether each request opens the window anew. */
  readonly refreshes: boolean;
  readonly alwaysOpen: boolean;
}

/** Opens with a request and lasts as long as it should. */
export const openedByRequest: WindowRules = {
  startOf: (nowMs) => nowMs,
  isOver: (startMs, nowMs, config) => nowMs >= startMs + config.windowMs,
  carry: () => 0,
  weigh: (_state, amount) => amount,
  refreshes: false,
  alwaysOpen: false,
};

export const onTheClock: WindowRules = {
  ...openedByRequest,
  startOf: (nowMs, config) => Math.floor(nowMs / config.windowMs) * config.windowMs,
  alwaysOpen: true,
};

/** Windows that begin at multiples of their length since the epoch: a minute is a minute of the clock. */
export const fixedClock: LimiterFamily<WindowState> = createWindowFamily("fixed-clock", onTheClock);

/** A window begins with the first request after the last one ended. */
export const fixedFirst: LimiterFamily<WindowState> = createWindowFamily("fixed-first", openedByRequest);

/** As `fixedFirst`, on a clock that counts whole seconds. */
export const fixedSecond: LimiterFamily<WindowState> = createWindowFamily("fixed-second", {
  ...openedByRequest,
  startOf: wholeSecond,
  isOver: (startMs, nowMs, config) => wholeSecond(nowMs) >= startMs + config.windowMs,
});

function wholeSecond(instantMs: number): number {
  return Math.floor(instantMs / 1000) * 1000;
}

export function createWindowFamily(id: string, rules: WindowRules): LimiterFamily<WindowState> {
  const endMs = (state: WindowState, config: LimiterConfig, nowMs: number): number =>
    (state.startMs ?? rules.startOf(nowMs, config)) + config.windowMs;
  return {
    id,
    create: () => ({ startMs: null, used: 0 }),
    advance: (state, config, nowMs) => {
      if (state.startMs !== null && rules.isOver(state.startMs, nowMs, config)) {
        state.used = rules.carry(state.used);
        state.startMs = null;
      }
      if (state.startMs === null && rules.alwaysOpen) state.startMs = rules.startOf(nowMs, config);
    },
    available: (state, config) => config.limit - state.used,
    take: (state, config, nowMs, amount) => {
      state.used += rules.weigh(state, amount);
      if (state.startMs === null || rules.refreshes) state.startMs = rules.startOf(nowMs, config);
    },
    giveBack: (state, _config, _nowMs, takenAtMs, amount) => {
      if (state.startMs !== null && takenAtMs >= state.startMs) state.used -= amount;
    },
    punish: (state, _config, nowMs) => {
      state.used += 1;
      if (rules.refreshes) state.startMs = nowMs;
    },
    resetAtMs: endMs,
    admitsAtMs: (state, config, nowMs, amount) => {
      if (amount > config.limit) return Infinity;
      return state.used + amount <= config.limit ? nowMs : endMs(state, config, nowMs);
    },
  };
}
