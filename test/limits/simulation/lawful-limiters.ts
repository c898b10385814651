import type { Decision, Limiter } from "./request-service.ts";

/** A correct limiter with the name of the family that should explain it. */
export interface LawfulLimiter {
  readonly id: string;
  readonly family: string;
  create(limit: number, windowMs: number): Limiter;
}

/** The state of each group from its first request on. */
export function perGroup<State>(create: (nowMs: number) => State): (group: string, nowMs: number) => State {
  const states = new Map<string, State>();
  return (group, nowMs) => {
    const state = states.get(group) ?? create(nowMs);
    states.set(group, state);
    return state;
  };
}

function fixedWindow(limit: number, windowMs: number, countsRejects: boolean, stepMs: number, fromFirst: boolean): Limiter {
  const windows = new Map<string, { used: number }>();
  const starts = new Map<string, number>();
  return (context, group, decide) => {
    const now = Math.floor(context.now() / stepMs) * stepMs;
    let start = Math.floor(now / windowMs) * windowMs;
    if (fromFirst) {
      const known = starts.get(group);
      start = known !== undefined && now - known < windowMs ? known : now;
      starts.set(group, start);
    }
    const id = `${group}@${start}`;
    const window = windows.get(id) ?? { used: 0 };
    windows.set(id, window);
    const admitted = window.used < limit;
    if (admitted || countsRejects) window.used += 1;
    const resetMs = start + windowMs;
    const remaining = (): number => Math.max(0, limit - window.used);
    decide({ admitted, limit, remaining: remaining(), resetMs, retryMs: resetMs - context.now(), reread: remaining });
  };
}

function slidingLog(limit: number, windowMs: number, label: "oldest" | "full", countsRejects: boolean): Limiter {
  const logOf = perGroup((): number[] => []);
  return (context, group, decide) => {
    const now = context.now();
    const log = logOf(group, now);
    while (log.length > 0 && log[0]! <= now - windowMs) log.shift();
    const admitted = log.length < limit;
    if (admitted || countsRejects) log.push(now);
    if (log.length > limit) log.shift();
    const oldest = log[0]! + windowMs;
    const resetMs = label === "oldest" ? oldest : log.at(-1)! + windowMs;
    decide({ admitted, limit, remaining: admitted ? limit - log.length : 0, resetMs, retryMs: oldest - now });
  };
}

/** `isExact`: the last window weighs by fractions, and what remains of a request is rounded up. */
function slidingCounter(limit: number, windowMs: number, label: "window" | "clear", isExact = false): Limiter {
  const counts = new Map<string, number>();
  return (context, group, decide) => {
    const now = context.now();
    const index = Math.floor(now / windowMs);
    const share = 1 - (now % windowMs) / windowMs;
    const before = counts.get(`${group}@${index - 1}`) ?? 0;
    const id = `${group}@${index}`;
    const carried = isExact ? share * before : Math.floor(share * before);
    const admitted = carried + (counts.get(id) ?? 0) <= limit - 1;
    if (admitted) counts.set(id, (counts.get(id) ?? 0) + 1);
    const used = counts.get(id) ?? 0;
    const endMs = (index + 1) * windowMs;
    decide({
      admitted,
      limit,
      remaining: Math.max(0, Math.ceil(limit - used - carried)),
      resetMs: label === "window" ? endMs : endMs + (used > 0 ? windowMs : 0),
      retryMs: retryOfSlidingCounter({ limit: isExact ? limit - 1 : limit, windowMs, now, endMs, before, used }),
    });
  };
}

function retryOfSlidingCounter(state: {
  readonly limit: number;
  readonly windowMs: number;
  readonly now: number;
  readonly endMs: number;
  readonly before: number;
  readonly used: number;
}): number {
  const { limit, windowMs, now, endMs, before, used } = state;
  // Admitted again as soon as floor((1 - share) * before) < limit - used, in this window or, with `used` as before, in the next.
  if (used < limit && before > 0) {
    const atMs = endMs - windowMs + windowMs * (1 - (limit - used) / before) + 1;
    if (atMs <= endMs) return Math.max(1, atMs - now);
  }
  return endMs - now + (used >= limit ? windowMs * (1 - limit / used) + 1 : 0);
}

function tokenBucket(
  limit: number,
  windowMs: number,
  options: { label: "full" | "next"; burst?: number; startsEmpty?: boolean; batchMs?: number; roundsUp?: boolean },
): Limiter {
  const capacity = options.burst ?? limit;
  const rate = limit / windowMs;
  const batchMs = options.batchMs ?? 0;
  const step = (ms: number): number => (batchMs > 0 ? Math.floor(ms / batchMs) * batchMs : ms);
  const bucketOf = perGroup((nowMs) => ({ level: options.startsEmpty ? 1 : capacity, atMs: step(nowMs) }));
  return (context, group, decide) => {
    const bucket = bucketOf(group, context.now());
    const now = Math.max(step(context.now()), bucket.atMs);
    bucket.level = Math.min(capacity, bucket.level + (now - bucket.atMs) * rate);
    bucket.atMs = now;
    const admitted = bucket.level >= 1 - 1e-9;
    if (admitted) bucket.level -= 1;
    const inTicks = (ms: number): number => (batchMs > 0 ? Math.ceil(ms / batchMs - 1e-9) * batchMs : ms);
    const untilNext = bucket.level >= 1 - 1e-9 ? 0 : inTicks((1 - bucket.level) / rate);
    const untilFull = inTicks((capacity - bucket.level) / rate);
    decide({
      admitted,
      limit,
      remaining: options.roundsUp === true ? Math.ceil(bucket.level - 1e-9) : Math.floor(bucket.level + 1e-9),
      resetMs: now + (options.label === "full" ? untilFull : untilNext),
      retryMs: now + untilNext - context.now(),
    });
  };
}

function gcra(limit: number, windowMs: number): Limiter {
  const increment = windowMs / limit;
  const tolerance = (limit - 1) * increment;
  const stateOf = perGroup(() => ({ arrival: 0 }));
  return (context, group, decide) => {
    const state = stateOf(group, 0);
    const now = context.now();
    const arrival = Math.max(state.arrival, now);
    const admitted = arrival - now <= tolerance + 1e-6;
    const next = admitted ? arrival + increment : arrival;
    if (admitted) state.arrival = next;
    const remaining = Math.max(0, Math.floor((tolerance + increment - (next - now)) / increment + 1e-9));
    decide({ admitted, limit, remaining, resetMs: next, retryMs: Math.max(0, arrival - tolerance - now) });
  };
}

/**
 * A counter of two periods as HAProxy keeps one (`http_req_rate`): what is refused counts, the last period weighs by its share, and
 * the first request after two idle periods begins a new one.
 */
function restartingCounter(limit: number, windowMs: number): Limiter {
  const stateOf = perGroup((nowMs) => ({ tickMs: nowMs, used: 0, before: 0 }));
  return (context, group, decide) => {
    const now = context.now();
    const state = stateOf(group, now);
    if (now >= state.tickMs + windowMs) {
      const idle = now >= state.tickMs + 2 * windowMs;
      Object.assign(state, { tickMs: idle ? now : state.tickMs + windowMs, before: idle ? 0 : state.used, used: 0 });
    }
    state.used += 1;
    const rateAt = (ms: number): number =>
      ms < state.tickMs + windowMs
        ? state.used + state.before * Math.min(1, 1 - (ms - state.tickMs) / windowMs)
        : state.used * Math.max(0, 2 - (ms - state.tickMs) / windowMs);
    const rate = Math.floor(rateAt(now));
    const resetMs = state.tickMs + windowMs;
    let retryMs = 1;
    while (Math.floor(rateAt(now + retryMs)) + 1 > limit) retryMs += 50;
    decide({ admitted: rate <= limit, limit, remaining: Math.max(0, limit - rate), resetMs, retryMs });
  };
}

/** Fixed windows on a grid of each key, which is forgotten with the key after an idle window. */
function restartingWindows(limit: number, windowMs: number): Limiter {
  const stateOf = perGroup((nowMs) => ({ originMs: nowMs, lastMs: nowMs, index: 0, used: 0 }));
  return (context, group, decide) => {
    const now = context.now();
    const state = stateOf(group, now);
    if (now > state.lastMs + windowMs) Object.assign(state, { originMs: now, index: 0, used: 0 });
    // An instance whose clock lags opens no window again that is over.
    const index = Math.max(state.index, Math.floor((now - state.originMs) / windowMs));
    if (index !== state.index) Object.assign(state, { index, used: 0 });
    state.lastMs = Math.max(state.lastMs, now);
    const admitted = state.used < limit;
    if (admitted) state.used += 1;
    const resetMs = state.originMs + (index + 1) * windowMs;
    decide({ admitted, limit, remaining: limit - state.used, resetMs, retryMs: resetMs - now });
  };
}

/** Remaining rounded down to tens, or to what is a quarter of a small limit; below that a rounded number would say nothing. */
function rounded(inner: Limiter, limit: number): Limiter {
  const step = limit >= 40 ? 10 : limit >= 20 ? 5 : 1;
  return (context, group, decide) =>
    inner(context, group, (decision) => decide({ ...decision, remaining: Math.floor(Number(decision.remaining) / step) * step }));
}

function otherLabel(inner: Limiter, label: (decision: Decision, nowMs: number) => number): Limiter {
  return (context, group, decide) =>
    inner(context, group, (decision) => decide({ ...decision, resetMs: label(decision, context.now()) }));
}

export const lawfulLimiters: readonly LawfulLimiter[] = [
  { id: "fixed-aligned", family: "fixed-window", create: (l, w) => fixedWindow(l, w, false, 1, false) },
  { id: "fixed-aligned-counts-rejects", family: "fixed-window", create: (l, w) => fixedWindow(l, w, true, 1, false) },
  { id: "fixed-from-first", family: "fixed-window", create: (l, w) => fixedWindow(l, w, false, 1, true) },
  { id: "fixed-whole-seconds", family: "fixed-window", create: (l, w) => fixedWindow(l, w, true, 1000, true) },
  { id: "sliding-log", family: "sliding-log", create: (l, w) => slidingLog(l, w, "oldest", false) },
  { id: "sliding-log-full", family: "sliding-log", create: (l, w) => slidingLog(l, w, "full", false) },
  { id: "sliding-log-counts-rejects", family: "sliding-log", create: (l, w) => slidingLog(l, w, "oldest", true) },
  { id: "sliding-counter", family: "sliding-counter", create: (l, w) => slidingCounter(l, w, "window") },
  { id: "sliding-counter-clear", family: "sliding-counter", create: (l, w) => slidingCounter(l, w, "clear") },
  { id: "sliding-counter-exact", family: "sliding-counter", create: (l, w) => slidingCounter(l, w, "window", true) },
  { id: "sliding-counter-restarts", family: "sliding-counter", create: (l, w) => restartingCounter(l, w) },
  { id: "fixed-restarts", family: "fixed-window", create: (l, w) => restartingWindows(l, w) },
  { id: "bucket-full", family: "token-bucket", create: (l, w) => tokenBucket(l, w, { label: "full" }) },
  { id: "bucket-rounds-up", family: "token-bucket", create: (l, w) => tokenBucket(l, w, { label: "full", roundsUp: true }) },
  { id: "bucket-next", family: "token-bucket", create: (l, w) => tokenBucket(l, w, { label: "next" }) },
  {
    id: "bucket-half-burst",
    family: "token-bucket",
    create: (l, w) => tokenBucket(l, w, { label: "full", burst: Math.ceil(l / 2) }),
  },
  {
    id: "bucket-starts-empty",
    family: "token-bucket",
    create: (l, w) => tokenBucket(l, w, { label: "full", startsEmpty: true }),
  },
  { id: "bucket-batch-1s", family: "batch-refill", create: (l, w) => tokenBucket(l, w, { label: "full", batchMs: 1000 }) },
  { id: "bucket-batch-10s", family: "batch-refill", create: (l, w) => tokenBucket(l, w, { label: "full", batchMs: w / 6 }) },
  { id: "gcra", family: "token-bucket", create: (l, w) => gcra(l, w) },
  { id: "fixed-rounded", family: "fixed-window", create: (l, w) => rounded(fixedWindow(l, w, false, 1, false), l) },
  { id: "bucket-rounded", family: "token-bucket", create: (l, w) => rounded(tokenBucket(l, w, { label: "full" }), l) },
  {
    id: "sliding-log-label-now",
    family: "sliding-log",
    create: (l, w) => otherLabel(slidingLog(l, w, "oldest", false), (d, now) => (d.admitted ? now : now + d.retryMs)),
  },
];
