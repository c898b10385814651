/** A limiter of a family that predicts answers; instants on the run clock. */
export interface ForwardModel {
  /** Counts one admitted request. */
  take(atMs: number): void;
  /** The number that an uncounted request would read: fractions as the model has them. */
  remaining(atMs: number): number;
  /** Another one in the same state. */
  copy(): ForwardModel;
}

export interface ForwardParameters {
  readonly limit: number;
  readonly windowMs: number;
  /** An instant at which a window of the clock begins. */
  readonly phaseMs: number;
  /** The number of requests that a bucket holds. */
  readonly capacity: number;
  /** Windows of the clock that begin anew with the first request after idle ones. */
  readonly restarts: boolean;
}

/** The textbook member of a family, without noise; null for a family that has none. */
export function createForwardModel(family: string, parameters: ForwardParameters): ForwardModel | null {
  switch (family) {
    case "fixed-window":
      return fixedWindow(parameters);
    case "fixed-from-first":
      return fixedFromFirst(parameters);
    case "sliding-log":
      return slidingLog(parameters);
    case "sliding-counter":
      return slidingCounter(parameters);
    case "token-bucket":
    case "batch-refill":
      return tokenBucket(parameters);
    default:
      return null;
  }
}

/** Whether windows begin at instants of the clock that have to be known to predict anything. */
export function hasPhase(family: string): boolean {
  return family === "fixed-window" || family === "sliding-counter";
}

function fixedWindow(parameters: ForwardParameters): ForwardModel {
  return windowsOfClock(parameters, ({ used }) => parameters.limit - used);
}

function fixedFromFirst(parameters: ForwardParameters, state = { startMs: Number.NEGATIVE_INFINITY, used: 0 }): ForwardModel {
  const { limit, windowMs } = parameters;
  let { startMs, used } = state;
  return {
    take: (atMs) => {
      if (atMs >= startMs + windowMs) {
        startMs = atMs;
        used = 0;
      }
      used += 1;
    },
    remaining: (atMs) => (atMs >= startMs + windowMs ? limit : limit - used),
    copy: () => fixedFromFirst(parameters, { startMs, used }),
  };
}

function slidingLog(parameters: ForwardParameters, counted: readonly number[] = []): ForwardModel {
  const { limit, windowMs } = parameters;
  const entries = [...counted];
  let gone = 0;
  const expire = (atMs: number): void => {
    while (gone < entries.length && entries[gone]! <= atMs - windowMs) gone += 1;
  };
  return {
    take: (atMs) => {
      expire(atMs);
      entries.push(atMs);
    },
    remaining: (atMs) => {
      expire(atMs);
      return limit - (entries.length - gone);
    },
    copy: () => slidingLog(parameters, entries.slice(gone)),
  };
}

function slidingCounter(parameters: ForwardParameters): ForwardModel {
  return windowsOfClock(parameters, ({ used, before, elapsed }) => parameters.limit - used - before * (1 - elapsed));
}

/** The requests counted in the window of an instant and in the one before it, and the part of the window that is over. */
interface Counted {
  readonly used: number;
  readonly before: number;
  readonly elapsed: number;
}

function windowsOfClock(
  parameters: ForwardParameters,
  remaining: (counted: Counted) => number,
  state = { originMs: parameters.phaseMs, current: Number.NEGATIVE_INFINITY, used: 0, before: 0 },
): ForwardModel {
  const { windowMs, restarts } = parameters;
  let { originMs, current, used, before } = state;
  const roll = (atMs: number): void => {
    const idle = restarts && atMs >= originMs + (current + 2) * windowMs;
    if (idle) originMs = atMs;
    const index = Math.floor((atMs - originMs) / windowMs);
    if (index === current && !idle) return;
    before = index === current + 1 && !idle ? used : 0;
    used = 0;
    current = index;
  };
  return {
    take: (atMs) => {
      roll(atMs);
      used += 1;
    },
    remaining: (atMs) => {
      roll(atMs);
      return remaining({ used, before, elapsed: (atMs - originMs) / windowMs - current });
    },
    copy: () => windowsOfClock(parameters, remaining, { originMs, current, used, before }),
  };
}

function tokenBucket(
  parameters: ForwardParameters,
  state = { level: parameters.capacity, sinceMs: Number.NEGATIVE_INFINITY },
): ForwardModel {
  const { limit, windowMs, capacity } = parameters;
  let { level, sinceMs } = state;
  const refill = (atMs: number): void => {
    if (atMs > sinceMs && Number.isFinite(sinceMs)) level = Math.min(capacity, level + ((atMs - sinceMs) * limit) / windowMs);
    sinceMs = Math.max(sinceMs, atMs);
  };
  return {
    take: (atMs) => {
      refill(atMs);
      level = Math.max(0, level - 1);
    },
    remaining: (atMs) => {
      refill(atMs);
      return level;
    },
    copy: () => tokenBucket(parameters, { level, sinceMs }),
  };
}
