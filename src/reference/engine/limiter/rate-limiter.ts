import type { Counter } from "./limiter-family.ts";
import { limiterPolicy, type LimiterPolicy, type Meter } from "./limiter-policy.ts";
import type { LimiterRules } from "./limiter-rules.ts";
import type { MeterView, RateCheck, RateHold, RateOp, RateVerdict, RateView } from "./rate-op.ts";

interface SavedCounter {
  readonly key: string;
  readonly family: LimiterPolicy["family"];
  readonly config: LimiterPolicy["config"];
  readonly state: unknown;
}

/** A request with the counters that it meets and what they are to do. */
type Asked = Pick<RateCheck, "op" | "policies" | "counters">;

/** Requests and tokens per key and endpoint (spec, Rate limits). `check` and `take` in one synchronous turn are atomic. */
export class RateLimiter {
  readonly #rules: LimiterRules;
  readonly #counters = new Map<string, { readonly counter: Counter; readonly config: LimiterPolicy["config"] }>();
  /** Buckets that start empty fill from here on, used or not. */
  #bornMs: number | null = null;

  constructor(rules: LimiterRules) {
    this.#rules = rules;
  }

  check(op: RateOp, wallMs: number): RateCheck {
    const nowMs = this.#rules.clockMs(wallMs);
    const asked = this.#ask(op, true, nowMs);
    const check: RateCheck = { ...asked, atMs: nowMs, verdict: this.#verdict(asked, nowMs) };
    const { requests: policy } = asked.policies;
    const name = asked.counters.requests;
    return this.#rules.decided(check, { name, policy, counter: this.#counter(name, policy, nowMs) });
  }

  take(check: RateCheck, wallMs: number): RateHold {
    const nowMs = this.#rules.clockMs(wallMs);
    const { op, policies, counters: names } = check;
    const requests = this.#counter(names.requests, policies.requests, nowMs);
    this.#rules.beforeTake(op, requests);
    requests.take(policies.requests.config, nowMs, this.#rules.weight(op));
    const heldTokens = this.#rules.tokensToHold(Math.min(op.holdTokens, policies.tokens.config.capacity));
    this.#counter(names.tokens, policies.tokens, nowMs).take(policies.tokens.config, nowMs, heldTokens);
    return { check, takenAtMs: nowMs, heldTokens };
  }

  /**
   * A request that is not let in. Instant from which a request like it would be let in if nobody else came, null when
   * never.
   */
  refuse({ op, verdict, policies, counters: names }: RateCheck, wallMs: number): number | null {
    if (verdict.kind === "fits") return wallMs;
    if (verdict.meter !== "requests") return verdict.admitsAtMs;
    const nowMs = this.#rules.clockMs(wallMs);
    const counter = this.#counter(names.requests, policies.requests, nowMs);
    return this.#rules.refused(verdict.admitsAtMs, op, { name: names.requests, policy: policies.requests, counter }, nowMs);
  }

  /** A request that was answered before it reached the limiter (4xx). */
  countUnadmitted(op: RateOp, wallMs: number): void {
    if (!this.#rules.countsUnadmitted()) return;
    const nowMs = this.#rules.clockMs(wallMs);
    const policy = this.#policy(op, "requests", nowMs);
    const counter = this.#counter(this.#rules.counters(op, false).requests, policy, nowMs);
    if (counter.available(policy.config, nowMs) >= 1) counter.take(policy.config, nowMs, 1);
  }

  /** Replaces the held tokens by what was charged in the end. */
  settle(hold: RateHold, chargedTokens: number, wallMs: number): void {
    const nowMs = this.#rules.clockMs(wallMs);
    const tokens = this.tokenCounter(hold, wallMs);
    const { config } = this.#policy(hold.check.op, "tokens", nowMs);
    const surplus = hold.heldTokens - chargedTokens;
    if (surplus > 0) tokens.giveBack(config, nowMs, hold.takenAtMs, surplus);
    if (surplus < 0) tokens.take(config, nowMs, -surplus);
  }

  /** Takes a request off the count again. */
  uncount({ check, takenAtMs }: RateHold, wallMs: number): void {
    const nowMs = this.#rules.clockMs(wallMs);
    const { requests } = check.policies;
    this.#counter(check.counters.requests, requests, nowMs).giveBack(
      requests.config,
      nowMs,
      takenAtMs,
      this.#rules.weight(check.op),
    );
  }

  /** The counter in which tokens are held. */
  tokenCounter({ check }: RateHold, wallMs: number): Counter {
    const nowMs = this.#rules.clockMs(wallMs);
    return this.#counter(check.counters.tokens, this.#policy(check.op, "tokens", nowMs), nowMs);
  }

  /** As the request sees it that was checked. */
  view(check: RateCheck, wallMs: number): RateView {
    return this.#view(check, this.#rules.clockMs(wallMs));
  }

  /** As a request sees it that never came to the limiter. */
  viewUnchecked(op: RateOp, wallMs: number): RateView {
    const atMs = this.#rules.clockMs(wallMs);
    return this.#view(this.#ask(op, false, atMs), atMs);
  }

  save(): unknown {
    return [...this.#counters].map(([key, { counter, config }]): SavedCounter => ({
      key,
      family: counter.family,
      config,
      state: counter.save(),
    }));
  }

  load(saved: unknown): void {
    this.#counters.clear();
    this.#rules.forget();
    for (const { key, family, config, state } of saved as readonly SavedCounter[]) {
      const counter = this.#rules.counter(family, config, 0);
      counter.load(state);
      this.#counters.set(key, { counter, config });
    }
  }

  #counter(name: string, policy: LimiterPolicy, nowMs: number): Counter {
    const known = this.#counters.get(name)?.counter;
    if (known?.family === policy.family) return known;
    this.#bornMs ??= nowMs;
    const counter = this.#rules.counter(policy.family, policy.config, Math.min(this.#bornMs, nowMs));
    this.#counters.set(name, { counter, config: policy.config });
    return counter;
  }

  #policy(op: RateOp, meter: Meter, nowMs: number): LimiterPolicy {
    return this.#rules.policy(limiterPolicy(op.limits, meter), meter, nowMs);
  }

  #ask(op: RateOp, isAdmitted: boolean, nowMs: number): Asked {
    const policies = { requests: this.#policy(op, "requests", nowMs), tokens: this.#policy(op, "tokens", nowMs) };
    return { op, policies, counters: this.#rules.counters(op, isAdmitted) };
  }

  #verdict({ op, policies, counters: names }: Asked, nowMs: number): RateVerdict {
    const requests = this.#counter(names.requests, policies.requests, nowMs);
    if (requests.available(policies.requests.config, nowMs) < 1 && this.#rules.enforces("requests"))
      return exceeds("requests", requests.admitsAtMs(policies.requests.promised, nowMs, 1));
    const { config } = policies.tokens;
    const tokens = this.#counter(names.tokens, policies.tokens, nowMs);
    // More than the whole limit can only be asked of an empty window.
    const wanted = this.#rules.tokensToCheck(Math.min(op.holdTokens, config.capacity));
    if (wanted > 0 && tokens.available(config, nowMs) < wanted && this.#rules.enforces("tokens"))
      return exceeds("tokens", tokens.admitsAtMs(config, nowMs, wanted));
    return { kind: "fits" };
  }

  #view(asked: Asked, atMs: number): RateView {
    return { requests: this.#meterView(asked, "requests", atMs), tokens: this.#meterView(asked, "tokens", atMs), atMs };
  }

  #meterView({ op, policies, counters }: Asked, meter: Meter, atMs: number): MeterView {
    const policy = policies[meter];
    const counter = this.#counter(counters[meter], policy, atMs);
    const view: MeterView = {
      limit: policy.shownLimit,
      remaining: counter.available(policy.config, atMs) + policy.shownOffset,
      resetAtMs: counter.resetAtMs(policy.promised, atMs) + policy.resetShiftMs,
      windowMs: op.limits.windowMs,
    };
    return this.#rules.view(view, meter, counter, policy.config);
  }
}

function exceeds(meter: Meter, admitsAtMs: number): RateVerdict {
  return { kind: "exceeds", meter, admitsAtMs: Number.isFinite(admitsAtMs) ? admitsAtMs : null };
}
