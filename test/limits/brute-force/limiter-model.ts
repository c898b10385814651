/**
 * Lawful limiters as pure step functions over immutable states, so that a search can try every order of decisions.
 * Written from the definitions of the algorithms; shares nothing with the judges. Instants are milliseconds of the limiter's clock.
 */
export interface LimiterModel<State> {
  readonly start: State;
  /** One request: `admitted` by the algorithm, and the state after it. */
  decide(state: State, nowMs: number): { readonly admitted: boolean; readonly next: State };
  /** Something that was counted, or would have been, without its decision being known. */
  charge(state: State, nowMs: number): State;
  remaining(state: State, nowMs: number): number;
  /** Every meaning of the reset label that the family may print. */
  resetMs(state: State, nowMs: number): number;
  /** Time until one request would be admitted if nobody else comes. */
  waitMs(state: State, nowMs: number): number;
}

export type FamilyId = "fixed-window" | "fixed-from-first" | "sliding-log" | "sliding-counter" | "token-bucket" | "batch-refill";

export interface ModelOptions {
  readonly family: FamilyId;
  readonly limit: number;
  readonly windowMs: number;
  /** Whether a rejected request counts as well (open in the specification). */
  readonly countsRejects: boolean;
  /** 0: the usual label of the family. 1: `all clear`, `next token`. 2: a sliding log's `now`. */
  readonly label: number;
  /** Start of an aligned window, in [0, windowMs). */
  readonly phaseMs: number;
  /** Bucket only. */
  readonly capacity: number;
  readonly startLevel: number;
  readonly batchMs: number;
  /** The limiter's clock is floored to this step, 1 when it is not. */
  readonly stepMs: number;
  /** How a sliding counter rounds what it carries over. */
  readonly weigh: "floor" | "exact" | "ceil";
  /** Windows of the clock: the first request after an idle window begins a new grid. */
  readonly restarts: boolean;
}

export function createModel(options: ModelOptions): LimiterModel<readonly number[]> {
  if (options.restarts && (options.family === "fixed-window" || options.family === "sliding-counter")) return restarting(options);
  switch (options.family) {
    case "fixed-window":
      return fixedWindow(options, false);
    case "fixed-from-first":
      return fixedWindow(options, true);
    case "sliding-log":
      return slidingLog(options);
    case "sliding-counter":
      return slidingCounter(options);
    case "token-bucket":
    case "batch-refill":
      return bucket(options);
    default:
      return options.family satisfies never;
  }
}

/** State: [start of the window, counted in it]. */
function fixedWindow(
  { limit, windowMs, countsRejects, phaseMs, stepMs }: ModelOptions,
  fromFirst: boolean,
): LimiterModel<readonly number[]> {
  const clock = (nowMs: number): number => Math.floor(nowMs / stepMs) * stepMs;
  const current = (state: readonly number[], nowMs: number): readonly number[] => {
    const [start = Number.NEGATIVE_INFINITY, used = 0] = state;
    if (fromFirst) return clock(nowMs) - start < windowMs ? [start, used] : [clock(nowMs), 0];
    const aligned = Math.floor((clock(nowMs) - phaseMs) / windowMs) * windowMs + phaseMs;
    // Another instance's clock may already have opened the next window, or still write to the last one.
    return aligned === start ? [start, used] : [aligned, countOf(state, aligned)];
  };
  // Older windows stay behind the current one, for instances whose clocks lag.
  const countOf = (state: readonly number[], start: number): number => {
    for (let index = 0; index < state.length; index += 2) if (state[index] === start) return state[index + 1]!;
    return 0;
  };
  const put = (state: readonly number[], [start = 0, used = 0]: readonly number[]): readonly number[] => {
    const rest: number[] = [];
    for (let index = 0; index < state.length && rest.length < 2; index += 2) {
      if (state[index] !== start) rest.push(state[index]!, state[index + 1]!);
    }
    return [start, used, ...(fromFirst ? [] : rest)];
  };
  const left = (state: readonly number[], nowMs: number): number => Math.max(0, limit - current(state, nowMs)[1]!);
  const end = (state: readonly number[], nowMs: number): number => current(state, nowMs)[0]! + windowMs;
  return {
    start: [],
    decide: (state, nowMs) => {
      const [start = 0, used = 0] = current(state, nowMs);
      const admitted = used < limit;
      return { admitted, next: put(state, [start, admitted || countsRejects ? used + 1 : used]) };
    },
    charge: (state, nowMs) => {
      const [start = 0, used = 0] = current(state, nowMs);
      return put(state, [start, used + 1]);
    },
    remaining: left,
    resetMs: end,
    waitMs: (state, nowMs) => (left(state, nowMs) > 0 ? 0 : Math.ceil(end(state, nowMs) / stepMs) * stepMs - nowMs),
  };
}

/** State: the instants that are counted, oldest first. */
function slidingLog({ limit, windowMs, countsRejects, label }: ModelOptions): LimiterModel<readonly number[]> {
  const live = (state: readonly number[], nowMs: number): readonly number[] => state.filter((at) => at > nowMs - windowMs);
  const add = (state: readonly number[], nowMs: number): readonly number[] => {
    const log = [...state, nowMs].sort((a, b) => a - b);
    return log.slice(Math.max(0, log.length - limit));
  };
  const wait = (state: readonly number[], nowMs: number): number => {
    const log = live(state, nowMs);
    return log.length < limit ? 0 : log[log.length - limit]! + windowMs - nowMs;
  };
  return {
    start: [],
    decide: (state, nowMs) => {
      const log = live(state, nowMs);
      const admitted = log.length < limit;
      return { admitted, next: admitted || countsRejects ? add(log, nowMs) : log };
    },
    charge: (state, nowMs) => add(live(state, nowMs), nowMs),
    remaining: (state, nowMs) => Math.max(0, limit - live(state, nowMs).length),
    resetMs: (state, nowMs) => {
      const log = live(state, nowMs);
      if (label === 2) return nowMs + wait(state, nowMs);
      return (label === 0 ? (log[0] ?? nowMs) : (log.at(-1) ?? nowMs)) + windowMs;
    },
    waitMs: wait,
  };
}

/** State: [index of the window, counted in it, counted in the one before]. */
function slidingCounter(options: ModelOptions): LimiterModel<readonly number[]> {
  const { limit, windowMs, countsRejects, label, phaseMs, weigh } = options;
  const round = weigh === "floor" ? Math.floor : weigh === "ceil" ? Math.ceil : (value: number): number => value;
  const indexAt = (nowMs: number): number => Math.floor((nowMs - phaseMs) / windowMs);
  const countAt = (state: readonly number[], index: number): number => {
    for (let at = 0; at < state.length; at += 2) if (state[at] === index) return state[at + 1]!;
    return 0;
  };
  const weighted = (state: readonly number[], nowMs: number): number => {
    const index = indexAt(nowMs);
    const share = 1 - (nowMs - phaseMs - index * windowMs) / windowMs;
    return countAt(state, index) + round(share * countAt(state, index - 1));
  };
  const add = (state: readonly number[], nowMs: number): readonly number[] => {
    const index = indexAt(nowMs);
    const next = [index, countAt(state, index) + 1];
    for (const other of [index + 1, index - 1]) if (countAt(state, other) > 0) next.push(other, countAt(state, other));
    return next;
  };
  const isFull = (state: readonly number[], nowMs: number): boolean =>
    weigh === "exact" ? weighted(state, nowMs) + 1 > limit : weighted(state, nowMs) >= limit;
  return {
    start: [],
    decide: (state, nowMs) => {
      const admitted = !isFull(state, nowMs);
      return { admitted, next: admitted || countsRejects ? add(state, nowMs) : state };
    },
    charge: add,
    remaining: (state, nowMs) => Math.max(0, Math.floor(limit - weighted(state, nowMs))),
    resetMs: (state, nowMs) => {
      const endMs = (indexAt(nowMs) + 1) * windowMs + phaseMs;
      return label === 0 ? endMs : endMs + (countAt(state, indexAt(nowMs)) > 0 ? windowMs : 0);
    },
    waitMs: (state, nowMs) => {
      for (let waited = 0; waited <= 2 * windowMs + 1000; waited += windowMs / 480) {
        if (!isFull(state, nowMs + waited)) return waited;
      }
      return 2 * windowMs + 1000;
    },
  };
}

/** State: [begin of the window, counted in it, counted in the one before]; a window of the clock weighs on none after it. */
function restarting({ family, limit, windowMs, countsRejects, weigh }: ModelOptions): LimiterModel<readonly number[]> {
  const weight = family === "sliding-counter" ? 1 : 0;
  const round = weigh === "floor" ? Math.floor : weigh === "ceil" ? Math.ceil : (value: number): number => value;
  const roll = (state: readonly number[], nowMs: number): readonly [begin: number, used: number, before: number] => {
    const [begin = Number.NEGATIVE_INFINITY, used = 0, before = 0] = state;
    if (nowMs >= begin + 2 * windowMs) return [nowMs, 0, 0];
    return nowMs >= begin + windowMs ? [begin + windowMs, 0, used] : [begin, used, before];
  };
  const carried = ([begin, , before]: readonly [number, number, number], nowMs: number): number =>
    weight * round(before * Math.min(1, 1 - (nowMs - begin) / windowMs));
  const isFull = (state: readonly number[], nowMs: number): boolean => {
    const rolled = roll(state, nowMs);
    const count = rolled[1] + carried(rolled, nowMs);
    return weigh === "exact" ? count + 1 > limit : count >= limit;
  };
  const add = (state: readonly number[], nowMs: number): readonly number[] => {
    const [begin, used, before] = roll(state, nowMs);
    return [begin, used + 1, before];
  };
  return {
    start: [],
    decide: (state, nowMs) => {
      const admitted = !isFull(state, nowMs);
      return { admitted, next: admitted || countsRejects ? add(state, nowMs) : roll(state, nowMs) };
    },
    charge: add,
    remaining: (state, nowMs) => {
      const rolled = roll(state, nowMs);
      return Math.max(0, Math.floor(limit - rolled[1] - carried(rolled, nowMs)));
    },
    resetMs: (state, nowMs) => roll(state, nowMs)[0] + windowMs,
    waitMs: (state, nowMs) => {
      const stepMs = windowMs / 480;
      let waited = 0;
      while (waited <= 2 * windowMs && isFull(state, nowMs + waited)) waited += stepMs;
      return waited;
    },
  };
}

/** State: [level, at]. */
function bucket({ limit, windowMs, label, capacity, startLevel, batchMs }: ModelOptions): LimiterModel<readonly number[]> {
  const rate = limit / windowMs;
  const tick = (ms: number): number => (batchMs > 0 ? Math.floor(ms / batchMs) * batchMs : ms);
  const fill = (state: readonly number[], nowMs: number): readonly number[] => {
    const [level = startLevel, at = tick(nowMs)] = state;
    const now = Math.max(at, tick(nowMs));
    return [Math.min(capacity, level + (now - at) * rate), now];
  };
  const until = (state: readonly number[], nowMs: number, level: number): number => {
    const [held = 0, at = 0] = fill(state, nowMs);
    if (held >= level - 1e-9) return nowMs;
    const due = at + (level - held) / rate;
    return batchMs > 0 ? Math.ceil(due / batchMs - 1e-9) * batchMs : due;
  };
  return {
    start: [],
    decide: (state, nowMs) => {
      const [level = 0, at = 0] = fill(state, nowMs);
      const admitted = level >= 1 - 1e-9;
      return { admitted, next: [admitted ? level - 1 : level, at] };
    },
    charge: (state, nowMs) => {
      const [level = 0, at = 0] = fill(state, nowMs);
      return [Math.max(0, level - 1), at];
    },
    remaining: (state, nowMs) => Math.floor(fill(state, nowMs)[0]! + 1e-9),
    resetMs: (state, nowMs) => until(state, nowMs, label === 0 ? capacity : 1),
    waitMs: (state, nowMs) => Math.max(0, until(state, nowMs, 1) - nowMs),
  };
}
