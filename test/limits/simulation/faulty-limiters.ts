import type { Decision, Limiter } from "./request-service.ts";
import { lawfulLimiters, perGroup } from "./lawful-limiters.ts";

/** A limiter with one deliberate defect. */
export interface FaultyLimiter {
  readonly id: string;
  create(limit: number, windowMs: number): Limiter;
}

function lawful(id: string): (limit: number, windowMs: number) => Limiter {
  const limiter = lawfulLimiters.find((candidate) => candidate.id === id)!;
  return (limit, windowMs) => limiter.create(limit, windowMs);
}

/** A wrong decision is final: a later read of the correct counter would hide it. */
function withoutReread(decision: Decision): Decision {
  const { admitted, limit, remaining, resetMs, retryMs } = decision;
  return { admitted, limit, remaining, resetMs, retryMs };
}

const fixed = lawful("fixed-aligned");

function altered(
  change: (decision: Decision, nowMs: number, random: () => number) => Partial<Decision>,
  base = fixed,
): FaultyLimiter["create"] {
  return (limit, windowMs) => {
    const inner = base(limit, windowMs);
    return (context, group, decide) =>
      inner(context, group, (decision) => {
        decide({ ...withoutReread(decision), ...change(decision, context.now(), () => context.random.next()) });
      });
  };
}

/** Fixed windows that tell requests apart in another way. */
function regrouped(groupOf: (group: string, path: string) => string): FaultyLimiter["create"] {
  return (limit, windowMs) => {
    const inner = fixed(limit, windowMs);
    return (context, group, decide) => inner(context, groupOf(group, context.request.path), decide);
  };
}

interface Window {
  used: number;
}

/** A fixed window whose steps are given by the defect. */
function window(
  decideIn: (
    window: Window,
    limit: number,
    tools: { later: (next: () => void) => void; random: () => number },
    decide: (admitted: boolean, used: number) => void,
  ) => void,
  groupOf: (group: string, random: () => number) => string = (group) => group,
): FaultyLimiter["create"] {
  return (limit, windowMs) => {
    const windowOf = perGroup((): Window => ({ used: 0 }));
    return (context, group, decide) => {
      const now = context.now();
      const start = Math.floor(now / windowMs) * windowMs;
      const state = windowOf(`${groupOf(group, () => context.random.next())}@${start}`, now);
      const tools = {
        later: (next: () => void) => context.later(0.4 + context.random.next() * 0.8, next),
        random: () => context.random.next(),
      };
      decideIn(state, limit, tools, (admitted, used) =>
        decide({
          admitted,
          limit,
          remaining: Math.max(0, limit - used),
          resetMs: start + windowMs,
          retryMs: start + windowMs - now,
        }),
      );
    };
  };
}

/** A bucket with a rate and capacity of its own; the label is `full again`. */
function bucket(options: { rate?: number; capacity?: number; race?: boolean; instances?: number }): FaultyLimiter["create"] {
  return (limit, windowMs) => {
    const capacity = limit * (options.capacity ?? 1);
    const rate = (limit / windowMs) * (options.rate ?? 1);
    const stateOf = perGroup((nowMs) => ({ level: capacity, atMs: nowMs }));
    return (context, group, decide) => {
      const id = options.instances ? `${group}#${context.random.integer(1, options.instances)}` : group;
      const now = context.now();
      const state = stateOf(id, now);
      const level = Math.min(capacity, state.level + Math.max(0, now - state.atMs) * rate);
      const finish = (): void => {
        const admitted = level >= 1;
        state.level = admitted ? level - 1 : level;
        state.atMs = now;
        decide({
          admitted,
          limit,
          remaining: Math.min(limit, Math.floor(state.level)),
          resetMs: now + (capacity - state.level) / rate,
          retryMs: (1 - state.level) / rate,
        });
      };
      if (options.race) context.later(0.4 + context.random.next() * 0.8, finish);
      else finish();
    };
  };
}

/** A fixed window of another length than the labels say, or one whose end moves. */
function wrongLength(factor: number, refreshed: boolean): FaultyLimiter["create"] {
  return (limit, windowMs) => {
    const stateOf = perGroup((nowMs) => ({ used: 0, endMs: nowMs + windowMs * factor }));
    return (context, group, decide) => {
      const now = context.now();
      const state = stateOf(group, now);
      if (now >= state.endMs) Object.assign(state, { used: 0, endMs: now + windowMs * factor });
      if (refreshed) state.endMs = now + windowMs;
      const admitted = state.used < limit;
      if (admitted) state.used += 1;
      const resetMs = refreshed ? state.endMs : state.endMs + windowMs * (1 - factor);
      decide({ admitted, limit, remaining: limit - state.used, resetMs, retryMs: Math.max(0, resetMs - now) });
    };
  };
}

const plain = (state: Window, limit: number, decide: (admitted: boolean, used: number) => void): void => {
  const admitted = state.used < limit;
  if (admitted) state.used += 1;
  decide(admitted, state.used);
};

export const faultyLimiters: readonly FaultyLimiter[] = [
  { id: "limit-plus-one", create: window((s, l, _t, d) => plain(s, l + 1, d)) },
  { id: "limit-minus-one", create: window((s, l, _t, d) => plain(s, l - 1, d)) },
  {
    id: "get-then-set",
    create: window((s, l, t, d) => {
      const read = s.used;
      t.later(() => {
        const ok = read < l;
        if (ok) s.used = read + 1;
        d(ok, read + 1);
      });
    }),
  },
  {
    id: "check-then-increment",
    create: window((s, l, t, d) => {
      const ok = s.used < l;
      t.later(() => {
        if (ok) s.used += 1;
        d(ok, s.used);
      });
    }),
  },
  { id: "bucket-race", create: bucket({ race: true }) },
  {
    id: "three-instances",
    create: window(
      (s, l, _t, d) => plain(s, l, d),
      (group, random) => `${group}#${Math.floor(random() * 3)}`,
    ),
  },
  {
    id: "instances-with-a-third",
    create: window(
      (s, l, _t, d) => plain(s, Math.floor(l / 3), (ok, used) => d(ok, used * 3)),
      (group, random) => `${group}#${Math.floor(random() * 3)}`,
    ),
  },
  { id: "two-bucket-instances", create: bucket({ instances: 2 }) },
  {
    id: "lost-increments",
    create: window((s, l, t, d) => {
      const ok = s.used < l;
      if (ok && t.random() > 0.05) s.used += 1;
      d(ok, s.used);
    }),
  },
  {
    id: "double-count",
    create: window((s, l, t, d) => {
      const ok = s.used < l;
      if (ok) s.used += t.random() < 0.1 ? 2 : 1;
      d(ok, s.used);
    }),
  },
  {
    id: "first-free",
    create: window((s, l, _t, d) => {
      if (s.used === 0 && !("seen" in s)) {
        Object.assign(s, { seen: true });
        d(true, 0);
      } else plain(s, l, d);
    }),
  },
  { id: "fail-open", create: altered((d, _n, random) => (random() < 0.05 ? { admitted: true } : { admitted: d.admitted })) },
  { id: "fail-closed", create: altered((d, _n, random) => (d.admitted && random() < 0.05 ? { admitted: false } : {})) },
  {
    id: "never-resets",
    create: (limit, windowMs) => {
      const stateOf = perGroup((): Window => ({ used: 0 }));
      return (context, group, decide) => {
        const state = stateOf(group, context.now());
        const resetMs = Math.ceil(context.now() / windowMs) * windowMs;
        plain(state, limit, (admitted, used) =>
          decide({ admitted, limit, remaining: limit - used, resetMs, retryMs: resetMs - context.now() }),
        );
      };
    },
  },
  { id: "window-50s", create: wrongLength(50 / 60, false) },
  { id: "window-75s", create: wrongLength(75 / 60, false) },
  { id: "refreshed-by-traffic", create: wrongLength(1, true) },
  { id: "double-burst", create: bucket({ capacity: 2 }) },
  { id: "slow-refill", create: bucket({ rate: 0.8 }) },
  { id: "fast-refill", create: bucket({ rate: 1.5 }) },
  {
    id: "stale-remaining",
    create: (limit, windowMs) => {
      const inner = fixed(limit, windowMs);
      const shown = new Map<string, { value: number; atMs: number }>();
      return (context, group, decide) =>
        inner(context, group, (decided) => {
          const decision = withoutReread(decided);
          const cached = shown.get(group);
          const stale = cached !== undefined && context.now() - cached.atMs < 500;
          if (!stale) shown.set(group, { value: Number(decision.remaining), atMs: context.now() });
          decide({ ...decision, remaining: shown.get(group)!.value });
        });
    },
  },
  { id: "constant-remaining", create: altered((d) => ({ remaining: d.admitted ? d.limit - 1 : 0 })) },
  { id: "negative-remaining", create: altered((d) => (d.admitted ? {} : { remaining: -3 })) },
  { id: "rejects-with-remaining", create: window((s, l, _t, d) => plain(s, Math.floor(l * 0.9), d)) },
  { id: "reset-delta", create: altered((d, now) => ({ resetText: String(Math.ceil((d.resetMs - now) / 1000)) })) },
  { id: "reset-duration", create: altered((d, now) => ({ resetText: `${((d.resetMs - now) / 1000).toFixed(2)}s` })) },
  { id: "reset-milliseconds", create: altered((d) => ({ resetText: String(Math.round(d.resetMs)) })) },
  { id: "reset-is-start", create: altered((d) => ({ resetMs: d.resetMs - 60_000 })) },
  { id: "reset-30s-late", create: altered((d) => ({ resetMs: d.resetMs + 30_000 })) },
  { id: "reset-moves", create: altered((_d, now) => ({ resetMs: now + 60_000 })) },
  { id: "retry-floor", create: altered((d) => ({ retryText: String(Math.floor(d.retryMs / 1000)) })) },
  { id: "retry-zero", create: altered(() => ({ retryText: "0" }), lawful("bucket-full")) },
  { id: "retry-constant", create: altered(() => ({ retryText: "60" })) },
  { id: "retry-milliseconds", create: altered((d) => ({ retryText: String(Math.ceil(d.retryMs)) })) },
  { id: "retry-negative", create: altered(() => ({ retryText: "-5", bodyRetry: -5 })) },
  { id: "retry-header-body-differ", create: altered((d) => ({ bodyRetry: Math.ceil(d.retryMs / 1000) + 5 })) },
  { id: "retry-missing", create: altered(() => ({ retryText: "" })) },
  { id: "limit-flaps", create: altered((d, _n, random) => (random() < 0.1 ? { limit: d.limit * 10 } : {})) },
  { id: "one-counter-for-all-keys", create: regrouped((group) => group.split("|")[1]!) },
  { id: "one-counter-for-all-endpoints", create: regrouped((group) => group.split("|")[0]!) },
  { id: "bypass-by-query", create: regrouped((group, path) => (path.includes("page=1") ? `${group}?` : group)) },
  {
    id: "negative-cache",
    create: (limit, windowMs) => {
      const inner = fixed(limit, windowMs);
      const until = new Map<string, number>();
      return (context, group, decide) =>
        inner(context, group, (decided) => {
          const decision = withoutReread(decided);
          const blocked = (until.get(group) ?? 0) > context.now();
          if (!blocked && !decision.admitted) until.set(group, context.now() + windowMs);
          decide(blocked ? { ...decision, admitted: false, remaining: 0 } : decision);
        });
    },
  },
  {
    id: "leaking-slots",
    create: window((s, l, t, d) => {
      const leak = s as Window & { leak?: number };
      const ok = s.used + (leak.leak ?? 0) < l;
      if (ok) {
        s.used += 1;
        if (t.random() < 0.08) leak.leak = (leak.leak ?? 0) + 1;
      }
      d(ok, s.used);
    }),
  },
  {
    id: "rejections-extend-log",
    create: (limit, windowMs) => {
      const logOf = perGroup((): number[] => []);
      return (context, group, decide) => {
        const now = context.now();
        const log = logOf(group, now);
        while (log.length > 0 && log[0]! <= now - windowMs) log.shift();
        const admitted = log.length < limit;
        log.push(now);
        decide({
          admitted,
          limit,
          remaining: Math.max(0, limit - log.length),
          resetMs: log[0]! + windowMs,
          retryMs: log[0]! + windowMs - now,
        });
      };
    },
  },
];
