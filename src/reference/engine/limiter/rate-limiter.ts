import type { Counter } from "./limiter-family.ts";
import { limiterPolicy, type LimiterPolicy, type Meter } from "./limiter-policy.ts";
import type { LimiterRules } from "./limiter-rules.ts";
import type { MeterView, RateCheck, RateHold, RateOp, RateVerdict, RateView } from "./rate-op.ts";

/** Requests and tokens per key and endpoint (spec, Rate limits). `check` and `take` in one synchronous turn are atomic. */
export interface RateLimiter {
  check(op: RateOp, nowMs: number): RateCheck;
  take(check: RateCheck, nowMs: number): RateHold;
  /**
   * A request that is not let in. Instant from which a request like it would be let in if nobody else came, null when
   * never.
   */
  refuse(check: RateCheck, nowMs: number): number | null;
  /** A request that was answered before it reached the limiter (4xx). */
  countUnadmitted(op: RateOp, nowMs: number): void;
  /** Replaces the held tokens by what was charged in the end. */
  settle(hold: RateHold, chargedTokens: number, nowMs: number): void;
  /** The counter in which tokens are held. */
  tokenCounter(hold: RateHold, nowMs: number): Counter;
  /** As the request sees it that was checked. */
  view(check: RateCheck, nowMs: number): RateView;
  /** As a request sees it that never came to the limiter. */
  viewUnchecked(op: RateOp, nowMs: number): RateView;
  save(): unknown;
  load(saved: unknown): void;
}

interface SavedCounter {
  readonly key: string;
  readonly family: LimiterPolicy["family"];
  readonly config: LimiterPolicy["config"];
  readonly state: unknown;
}

export function createRateLimiter(rules: LimiterRules): RateLimiter {
  const counters = new Map<string, { readonly counter: Counter; readonly config: LimiterPolicy["config"] }>();
  /** Buckets that start empty fill from here on, used or not. */
  let bornMs: number | null = null;

  const counterOf = (name: string, policy: LimiterPolicy, nowMs: number): Counter => {
    const known = counters.get(name)?.counter;
    if (known?.family === policy.family) return known;
    bornMs ??= nowMs;
    const counter = rules.counter(policy.family, policy.config, Math.min(bornMs, nowMs));
    counters.set(name, { counter, config: policy.config });
    return counter;
  };

  const policyOf = (op: RateOp, meter: Meter, nowMs: number): LimiterPolicy =>
    rules.policy(limiterPolicy(op.limits, meter), meter, nowMs);

  const policiesOf = (op: RateOp, nowMs: number): RateCheck["policies"] => ({
    requests: policyOf(op, "requests", nowMs),
    tokens: policyOf(op, "tokens", nowMs),
  });

  const verdictOf = ({ op, policies, counters: names }: Omit<RateCheck, "verdict">, nowMs: number): RateVerdict => {
    const requests = counterOf(names.requests, policies.requests, nowMs);
    if (requests.available(policies.requests.config, nowMs) < 1 && rules.enforces("requests"))
      return exceeds("requests", requests.admitsAtMs(policies.requests.promised, nowMs, 1));
    const { config } = policies.tokens;
    const tokens = counterOf(names.tokens, policies.tokens, nowMs);
    // More than the whole limit can only be asked of an empty window.
    const wanted = rules.tokensToCheck(Math.min(op.holdTokens, config.capacity));
    if (wanted > 0 && tokens.available(config, nowMs) < wanted && rules.enforces("tokens"))
      return exceeds("tokens", tokens.admitsAtMs(config, nowMs, wanted));
    return { kind: "fits" };
  };

  const viewOf = (check: Pick<RateCheck, "op" | "policies" | "counters">, atMs: number): RateView => {
    const meterView = (meter: Meter): MeterView => {
      const policy = check.policies[meter];
      const counter = counterOf(check.counters[meter], policy, atMs);
      const view: MeterView = {
        limit: policy.shownLimit,
        remaining: counter.available(policy.config, atMs) + policy.shownOffset,
        resetAtMs: counter.resetAtMs(policy.promised, atMs) + policy.resetShiftMs,
        windowMs: check.op.limits.windowMs,
      };
      return rules.view(view, meter, counter, policy.config);
    };
    return { requests: meterView("requests"), tokens: meterView("tokens"), atMs };
  };

  const tokenCounter = ({ check }: RateHold, wallMs: number): Counter => {
    const nowMs = rules.clockMs(wallMs);
    return counterOf(check.counters.tokens, policyOf(check.op, "tokens", nowMs), nowMs);
  };

  return {
    check: (op, wallMs) => {
      const nowMs = rules.clockMs(wallMs);
      const asked = { op, policies: policiesOf(op, nowMs), counters: rules.counters(op, true), atMs: nowMs };
      const check: RateCheck = { ...asked, verdict: verdictOf(asked, nowMs) };
      const { requests: policy } = asked.policies;
      const name = asked.counters.requests;
      return rules.decided(check, { name, policy, counter: counterOf(name, policy, nowMs) });
    },
    take: (check, wallMs) => {
      const nowMs = rules.clockMs(wallMs);
      const { op, policies, counters: names } = check;
      const requests = counterOf(names.requests, policies.requests, nowMs);
      rules.beforeTake(op, requests);
      requests.take(policies.requests.config, nowMs, rules.weight(op));
      const heldTokens = rules.tokensToHold(Math.min(op.holdTokens, policies.tokens.config.capacity));
      counterOf(names.tokens, policies.tokens, nowMs).take(policies.tokens.config, nowMs, heldTokens);
      return { check, takenAtMs: nowMs, heldTokens };
    },
    refuse: ({ op, verdict, policies, counters: names }, wallMs) => {
      if (verdict.kind === "fits") return wallMs;
      if (verdict.meter !== "requests") return verdict.admitsAtMs;
      const nowMs = rules.clockMs(wallMs);
      const counter = counterOf(names.requests, policies.requests, nowMs);
      return rules.refused(verdict.admitsAtMs, op, { name: names.requests, policy: policies.requests, counter }, nowMs);
    },
    countUnadmitted: (op, wallMs) => {
      if (!rules.countsUnadmitted()) return;
      const nowMs = rules.clockMs(wallMs);
      const policy = policyOf(op, "requests", nowMs);
      const counter = counterOf(rules.counters(op, false).requests, policy, nowMs);
      if (counter.available(policy.config, nowMs) >= 1) counter.take(policy.config, nowMs, 1);
    },
    settle: (hold, chargedTokens, wallMs) => {
      const nowMs = rules.clockMs(wallMs);
      const tokens = tokenCounter(hold, wallMs);
      const { config } = policyOf(hold.check.op, "tokens", nowMs);
      const surplus = hold.heldTokens - chargedTokens;
      if (surplus > 0) tokens.giveBack(config, nowMs, hold.takenAtMs, surplus);
      if (surplus < 0) tokens.take(config, nowMs, -surplus);
    },
    tokenCounter,
    view: (check, wallMs) => viewOf(check, rules.clockMs(wallMs)),
    viewUnchecked: (op, wallMs) => {
      const atMs = rules.clockMs(wallMs);
      return viewOf({ op, policies: policiesOf(op, atMs), counters: rules.counters(op, false) }, atMs);
    },
    save: () =>
      [...counters].map(([key, { counter, config }]): SavedCounter => ({
        key,
        family: counter.family,
        config,
        state: counter.save(),
      })),
    load: (saved) => {
      counters.clear();
      rules.forget();
      for (const { key, family, config, state } of saved as readonly SavedCounter[]) {
        const counter = rules.counter(family, config, 0);
        counter.load(state);
        counters.set(key, { counter, config });
      }
    },
  };
}

function exceeds(meter: Meter, admitsAtMs: number): RateVerdict {
  return { kind: "exceeds", meter, admitsAtMs: Number.isFinite(admitsAtMs) ? admitsAtMs : null };
}
