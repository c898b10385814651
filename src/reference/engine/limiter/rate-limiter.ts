import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { Random } from "../../../core/random.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { RateLimits } from "../keys/key-record.ts";
import type { Counter } from "./limiter-family.ts";
import { createFamilyCounter, limiterPolicy, type LimiterPolicy, type Meter } from "./limiter-policy.ts";

/** What the limiter knows of a request. */
export interface RateOp {
  readonly keyId: string;
  /** null: unknown route. */
  readonly endpoint: EndpointId | null;
  readonly rawUrl: string;
  readonly limits: RateLimits;
  /** Tokens to hold until the true number is known. */
  readonly holdTokens: number;
}

/** First half of a decision: nothing has been taken yet. */
export interface RateCheck {
  readonly op: RateOp;
  readonly policies: Readonly<Record<Meter, LimiterPolicy>>;
  /** Instant of the check on the limiter's clock. */
  readonly atMs: number;
  /** Process that serves the request, where several do not share their counters. */
  readonly instance: number;
  readonly verdict:
    | { readonly kind: "fits" }
    | { readonly kind: "exceeds"; readonly meter: Meter; /** null: never. */ readonly admitsAtMs: number | null };
  /** State of the request counter as read, where the store writes back what it read; else null. */
  readonly read: unknown;
  /** The store did not answer: let in, or kept out, without counting. */
  readonly uncounted: boolean;
}

export interface RateHold {
  readonly check: RateCheck;
  readonly takenAtMs: number;
  readonly heldTokens: number;
}

/** Numbers behind the six headers at one instant. */
export interface RateView {
  readonly requests: MeterView;
  readonly tokens: MeterView;
  readonly atMs: number;
}

export interface MeterView {
  readonly limit: number;
  /** Not clamped. */
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly windowMs: number;
}

/**
 * Requests and tokens per key and endpoint (spec, Rate limits). `check` and `take` in one synchronous turn are atomic;
 * the switched races put a pause between them.
 */
export interface RateLimiter {
  check(op: RateOp, nowMs: number): RateCheck;
  take(check: RateCheck, nowMs: number): RateHold;
  /**
   * A request that is not let in; counts only where a switch says so. Instant from which a request like it would be let in
   * if nobody else came, null when never.
   */
  refuse(check: RateCheck, nowMs: number): number | null;
  /** A request that was answered before it reached the limiter (4xx); likewise. */
  countUnadmitted(op: RateOp, nowMs: number): void;
  /** Replaces the held tokens by what was charged in the end. */
  settle(hold: RateHold, chargedTokens: number, nowMs: number, read?: unknown): void;
  /** The token count as it is now, for a store that adds to what it read and writes that back with `settle`. */
  readTokens(hold: RateHold, nowMs: number): unknown;
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

interface SavedLimiter {
  readonly counters: readonly SavedCounter[];
  readonly arrivals: number;
}

/** How long a key stays blocked after the reset where a refusal is cached. */
const negativeCacheMs = 5000;
/** Lead of the limiter's clock over the service's where the two differ. */
const clockSkewMs = 30_000;

export function createRateLimiter(switches: Switchboard, random: Random): RateLimiter {
  const counters = new Map<string, { readonly counter: Counter; readonly config: LimiterPolicy["config"] }>();
  const blockedUntilMs = new Map<string, number>();
  let arrivals = 0;
  let takes = 0;
  /** Buckets that start empty fill from here on, used or not. */
  let bornMs: number | null = null;

  const limiterNow = (nowMs: number): number => Math.floor(nowMs) + (switches.on("limits/reset-skew") ? clockSkewMs : 0);

  const instances = (): number => {
    if (switches.on("limits/three-instances") || switches.on("limits/third-per-instance")) return 3;
    return switches.on("limits/two-bucket-instances") ? 2 : 1;
  };

  /** Read, modify, write without a lock: an update made in between is lost. */
  const writesBack = (): boolean => switches.on("limits/lost-updates") || switches.on("limits/bucket-read-modify-write");

  const counterKey = (op: RateOp, meter: Meter, instance: number): string => {
    const key = switches.on("limits/shared-by-keys") ? "*" : op.keyId;
    const endpoint = switches.on("limits/shared-by-endpoints") ? "*" : (op.endpoint ?? "unknown");
    const path = switches.on("limits/path-variant-bypass") ? op.rawUrl : "";
    return `${meter} ${key} ${endpoint} ${meter === "requests" ? instance : 0} ${path}`;
  };

  const counterOf = (op: RateOp, meter: Meter, instance: number, policy: LimiterPolicy, nowMs: number): Counter => {
    const key = counterKey(op, meter, instance);
    const known = counters.get(key)?.counter;
    if (known?.family === policy.family) return known;
    bornMs ??= nowMs;
    const counter = createFamilyCounter(policy.family, policy.config, Math.min(bornMs, nowMs));
    counters.set(key, { counter, config: policy.config });
    return counter;
  };

  const policiesOf = (op: RateOp, nowMs: number): RateCheck["policies"] => ({
    requests: limiterPolicy(switches, op.limits, "requests", nowMs),
    tokens: limiterPolicy(switches, op.limits, "tokens", nowMs),
  });

  const viewOf = (op: RateOp, meter: Meter, instance: number, policy: LimiterPolicy, nowMs: number): MeterView => {
    const counter = counterOf(op, meter, instance, policy, nowMs);
    let remaining = counter.available(policy.config, nowMs) + policy.shownOffset;
    if (meter === "requests" && switches.on("limits/ignores-previous-window")) {
      remaining = policy.config.limit - (counter.save() as { current: number }).current;
    }
    return {
      limit: policy.shownLimit,
      remaining,
      resetAtMs: counter.resetAtMs(policy.promised, nowMs) + policy.resetShiftMs,
      windowMs: op.limits.windowMs,
    };
  };

  const check = (op: RateOp, wallMs: number): RateCheck => {
    const nowMs = limiterNow(wallMs);
    const instance = arrivals % instances();
    arrivals += 1;
    const policies = policiesOf(op, nowMs);
    const policy = policies.requests;
    const requests = counterOf(op, "requests", instance, policy, nowMs);
    const base = { op, policies, atMs: nowMs, instance, read: writesBack() ? requests.save() : null, uncounted: false };
    const exceeds = (meter: Meter, admitsAtMs: number): RateCheck => ({
      ...base,
      verdict: { kind: "exceeds", meter, admitsAtMs: finiteOrNull(admitsAtMs) },
    });
    if (switches.on("limits/fail-open") && random.next() < 0.05) return { ...base, verdict: { kind: "fits" }, uncounted: true };
    if (switches.on("limits/fail-closed") && random.next() < 0.05)
      return { ...exceeds("requests", nowMs + 1000), uncounted: true };
    const blocked = blockedUntilMs.get(counterKey(op, "requests", instance)) ?? -Infinity;
    if (nowMs < blocked) return exceeds("requests", Math.max(nowMs, requests.admitsAtMs(policy.promised, nowMs, 1)));
    const requestFits = requests.available(policy.config, nowMs) >= 1 || switches.on("limits/not-enforced");
    if (!requestFits) return exceeds("requests", requests.admitsAtMs(policy.promised, nowMs, 1));
    const tokenPolicy = policies.tokens;
    const tokens = counterOf(op, "tokens", instance, tokenPolicy, nowMs);
    const wanted = wantedTokens(op, tokenPolicy);
    const tokensFit = wanted === 0 || tokens.available(tokenPolicy.config, nowMs) >= wanted || switches.on("tokens/not-enforced");
    return tokensFit
      ? { ...base, verdict: { kind: "fits" } }
      : exceeds("tokens", tokens.admitsAtMs(tokenPolicy.config, nowMs, wanted));
  };

  /** More than the whole limit can only be asked of an empty window. */
  const wantedTokens = (op: RateOp, policy: LimiterPolicy): number => {
    const wanted = Math.min(op.holdTokens, policy.config.capacity);
    return switches.on("tokens/charged-after") ? Math.min(wanted, 1) : wanted;
  };

  /** Units that one request adds to the request counter. */
  const requestWeight = (): number => {
    takes += 1;
    if (switches.on("limits/lost-increments") && takes % 10 === 0) return 0;
    return switches.on("limits/double-count") ? 2 : 1;
  };

  const take = (checked: RateCheck, wallMs: number): RateHold => {
    const nowMs = limiterNow(wallMs);
    const { op, instance } = checked;
    const policy = checked.policies.requests;
    const requests = counterOf(op, "requests", instance, policy, nowMs);
    if (checked.read !== null) requests.load(checked.read);
    if (!checked.uncounted) requests.take(policy.config, nowMs, requestWeight());
    const tokenPolicy = checked.policies.tokens;
    const holdsNothing = switches.on("tokens/charged-after") || switches.on("tokens/lost-updates");
    const heldTokens = holdsNothing ? 0 : Math.min(op.holdTokens, tokenPolicy.config.capacity);
    counterOf(op, "tokens", instance, tokenPolicy, nowMs).take(tokenPolicy.config, nowMs, heldTokens);
    return { check: checked, takenAtMs: nowMs, heldTokens };
  };

  return {
    check,
    take,
    refuse: (checked, wallMs) => {
      if (checked.verdict.kind === "fits") return wallMs;
      if (checked.verdict.meter !== "requests") return checked.verdict.admitsAtMs;
      const nowMs = limiterNow(wallMs);
      const { op, instance, policies } = checked;
      const { config } = policies.requests;
      const counter = counterOf(op, "requests", instance, policies.requests, nowMs);
      if (switches.on("limits/negative-cache") && !checked.uncounted) {
        const key = counterKey(op, "requests", instance);
        const known = blockedUntilMs.get(key) ?? -Infinity;
        if (nowMs >= known) blockedUntilMs.set(key, counter.admitsAtMs(config, nowMs, 1) + negativeCacheMs);
      }
      if (!switches.on("limits/rejections-count")) return checked.verdict.admitsAtMs;
      counter.punish(config, nowMs);
      return finiteOrNull(counter.admitsAtMs(config, nowMs, 1));
    },
    countUnadmitted: (op, wallMs) => {
      if (!switches.on("limits/client-errors-count")) return;
      const nowMs = limiterNow(wallMs);
      const policy = limiterPolicy(switches, op.limits, "requests", nowMs);
      const counter = counterOf(op, "requests", 0, policy, nowMs);
      if (counter.available(policy.config, nowMs) >= 1) counter.take(policy.config, nowMs, 1);
    },
    readTokens: ({ check: { op, instance } }, wallMs) => {
      const nowMs = limiterNow(wallMs);
      return counterOf(op, "tokens", instance, limiterPolicy(switches, op.limits, "tokens", nowMs), nowMs).save();
    },
    settle: (hold, chargedTokens, wallMs, read) => {
      const nowMs = limiterNow(wallMs);
      const { op, instance } = hold.check;
      const policy = limiterPolicy(switches, op.limits, "tokens", nowMs);
      const tokens = counterOf(op, "tokens", instance, policy, nowMs);
      if (read !== undefined) tokens.load(read);
      const surplus = hold.heldTokens - chargedTokens;
      if (surplus > 0) tokens.giveBack(policy.config, nowMs, hold.takenAtMs, surplus);
      if (surplus < 0) tokens.take(policy.config, nowMs, -surplus);
    },
    view: ({ op, instance, policies }, wallMs) => {
      const atMs = limiterNow(wallMs);
      return {
        requests: viewOf(op, "requests", instance, policies.requests, atMs),
        tokens: viewOf(op, "tokens", instance, policies.tokens, atMs),
        atMs,
      };
    },
    viewUnchecked: (op, wallMs) => {
      const atMs = limiterNow(wallMs);
      const policies = policiesOf(op, atMs);
      return {
        requests: viewOf(op, "requests", 0, policies.requests, atMs),
        tokens: viewOf(op, "tokens", 0, policies.tokens, atMs),
        atMs,
      };
    },
    save: () => {
      const saved: SavedLimiter = {
        counters: [...counters].map(([key, { counter, config }]) => ({
          key,
          family: counter.family,
          config,
          state: counter.save(),
        })),
        arrivals,
      };
      return saved;
    },
    load: (saved) => {
      const { counters: list, arrivals: count } = saved as SavedLimiter;
      counters.clear();
      blockedUntilMs.clear();
      arrivals = count;
      takes = 0;
      for (const { key, family, config, state } of list) {
        const counter = createFamilyCounter(family, config, 0);
        counter.load(state);
        counters.set(key, { counter, config });
      }
    },
  };
}

function finiteOrNull(instantMs: number): number | null {
  return Number.isFinite(instantMs) ? instantMs : null;
}
