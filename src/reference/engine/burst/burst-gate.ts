import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { Switchboard } from "../../defects/switch.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { Counter, LimiterConfig } from "../limiter/limiter-family.ts";
import { createFamilyCounter } from "../limiter/limiter-policy.ts";

export type GateAnswer =
  | { readonly kind: "open" }
  /** null: no instant is known at which it opens. */
  | { readonly kind: "closed"; readonly untilMs: number | null };

/**
 * Burst allowance and cooldown (spec, Burst and cooldown). Counts over all endpoints of a key. The request that uses up the
 * allowance starts the cooldown; attempts do not prolong it; when it is over the allowance is whole again. Without
 * `cooldown_seconds` the allowance is a plain limit per minute. Changing `burst_limit` starts afresh.
 */
export interface BurstGate {
  check(key: KeyRecord, endpoint: EndpointId, nowMs: number): GateAnswer;
  /** An admitted request. */
  take(key: KeyRecord, endpoint: EndpointId, nowMs: number): void;
  /** A refused one. */
  refuse(key: KeyRecord, endpoint: EndpointId, nowMs: number): void;
  /** Seconds for Retry-After before rounding, as this service computes them. */
  waitMs(key: KeyRecord, answer: GateAnswer, nowMs: number): number;
  save(): unknown;
  load(saved: unknown): void;
}

interface GateState {
  readonly limit: number;
  readonly family: AllowanceFamily;
  readonly counter: Counter;
  firstMs: number | null;
  /** Instant at which the running cooldown is counted to have begun. */
  coolingSinceMs: number | null;
  /** Key whose request began it. */
  cooledBy: KeyRecord | null;
}

interface SavedGate {
  readonly scope: string;
  readonly limit: number;
  readonly family: AllowanceFamily;
  readonly counter: unknown;
  readonly firstMs: number | null;
  readonly coolingSinceMs: number | null;
}

type AllowanceFamily = "sliding-log" | "fixed-clock" | "fixed-first" | "token-bucket";

const minuteMs = 60_000;

export function createBurstGate(switches: Switchboard): BurstGate {
  const states = new Map<string, GateState>();
  /** Scopes whose first cooldown is over, by the allowance that was enforced. */
  const enforced = new Map<string, number>();
  let arrivals = 0;

  const allowanceFamily = (): AllowanceFamily => {
    if (switches.on("burst/clock-minute")) return "fixed-clock";
    if (switches.on("burst/first-request-minute")) return "fixed-first";
    return switches.on("burst/refilling") ? "token-bucket" : "sliding-log";
  };

  const enforcedLimit = (key: KeyRecord): number | null => {
    const limit = key.settings.burst_limit;
    if (limit === null || switches.on("burst/ignored")) return null;
    if (switches.on("burst/over-admit-one")) return limit + 1;
    return switches.on("burst/under-admit-one") ? Math.max(limit - 1, 0) : limit;
  };

  const cooldownMs = (key: KeyRecord): number => {
    const seconds = switches.on("burst/no-cooldown") ? 0 : (key.settings.cooldown_seconds ?? 0);
    if (switches.on("burst/cooldown-half")) return seconds * 500;
    if (switches.on("burst/cooldown-double")) return seconds * 2000;
    if (switches.on("burst/cooldown-in-milliseconds")) return seconds;
    if (switches.on("burst/cooldown-in-minutes")) return seconds * minuteMs;
    return seconds * 1000;
  };

  const scopeOf = (key: KeyRecord, endpoint: EndpointId): string => {
    if (switches.on("burst/shared-by-keys")) return `account ${key.account}`;
    if (switches.on("burst/per-endpoint")) return `${key.id} ${endpoint}`;
    return switches.on("burst/per-instance") ? `${key.id} ${arrivals % 3}` : key.id;
  };

  const config = (limit: number): LimiterConfig => ({ limit, capacity: limit, windowMs: minuteMs });

  const fresh = (limit: number, nowMs: number): GateState => {
    const family = allowanceFamily();
    const counter = createFamilyCounter(family, config(limit), nowMs);
    return { limit, family, counter, firstMs: null, coolingSinceMs: null, cooledBy: null };
  };

  /** State of a gate after everything that time alone does to it; null where the key has no allowance. */
  const stateAt = (key: KeyRecord, endpoint: EndpointId, nowMs: number): GateState | null => {
    const scope = scopeOf(key, endpoint);
    let state = states.get(scope);
    const limit = enforcedLimit(key) ?? (switches.on("burst/shared-by-keys") ? (state?.limit ?? null) : null);
    if (limit === null) return null;
    if (state === undefined || state.limit !== limit || state.family !== allowanceFamily()) state = fresh(limit, nowMs);
    const over = nowMs >= coolsUntilMs(key, state);
    if (over && switches.on("burst/allowance-not-restored")) state.coolingSinceMs = null;
    else if (over) state = fresh(limit, nowMs);
    if (over) enforced.set(scope, limit);
    states.set(scope, state);
    return state;
  };

  const exhausted = (state: GateState, nowMs: number): boolean => state.counter.available(config(state.limit), nowMs) < 1;

  /** By the settings of now, so that a change acts on the cooldown that is running; Infinity when none is. */
  const coolsUntilMs = (key: KeyRecord, state: GateState): number => {
    if (state.coolingSinceMs === null) return Infinity;
    return state.coolingSinceMs + cooldownMs(switches.on("burst/shared-by-keys") ? (state.cooledBy ?? key) : key);
  };

  const startCooldown = (key: KeyRecord, state: GateState, nowMs: number): void => {
    if (cooldownMs(key) <= 0) return;
    state.cooledBy = key;
    state.coolingSinceMs = switches.on("burst/anchored-early") ? (state.firstMs ?? nowMs) : nowMs;
  };

  return {
    check: (key, endpoint, wallMs) => {
      const nowMs = Math.floor(wallMs);
      arrivals += 1;
      const state = stateAt(key, endpoint, nowMs);
      if (state === null) return { kind: "open" };
      if (switches.on("burst/enforced-once") && enforced.get(scopeOf(key, endpoint)) === state.limit) return { kind: "open" };
      if (state.coolingSinceMs !== null) return { kind: "closed", untilMs: coolsUntilMs(key, state) };
      if (!exhausted(state, nowMs)) return { kind: "open" };
      if (switches.on("burst/cooldown-from-excess") && cooldownMs(key) > 0) {
        startCooldown(key, state, nowMs);
        return { kind: "closed", untilMs: nowMs + cooldownMs(key) };
      }
      const admitsAtMs = state.counter.admitsAtMs(config(state.limit), nowMs, 1);
      return { kind: "closed", untilMs: Number.isFinite(admitsAtMs) ? admitsAtMs : null };
    },
    take: (key, endpoint, wallMs) => {
      const nowMs = Math.floor(wallMs);
      const state = stateAt(key, endpoint, nowMs);
      if (state === null) return;
      state.firstMs ??= nowMs;
      state.counter.take(config(state.limit), nowMs, 1);
      if (exhausted(state, nowMs) && !switches.on("burst/cooldown-from-excess")) startCooldown(key, state, nowMs);
    },
    refuse: (key, endpoint, wallMs) => {
      const nowMs = Math.floor(wallMs);
      if (!switches.on("burst/extended-by-attempts")) return;
      const state = stateAt(key, endpoint, nowMs);
      if (state !== null && state.coolingSinceMs !== null) state.coolingSinceMs = nowMs;
    },
    waitMs: (key, answer, wallMs) => {
      if (switches.on("burst/retry-after-constant")) return cooldownMs(key);
      if (switches.on("burst/retry-after-window")) return minuteMs;
      const untilMs = answer.kind === "closed" ? answer.untilMs : null;
      return untilMs === null ? Math.max(cooldownMs(key), minuteMs) : Math.max(untilMs - Math.floor(wallMs), 0);
    },
    save: () =>
      [...states].map(([scope, state]): SavedGate => ({
        scope,
        limit: state.limit,
        family: state.family,
        counter: state.counter.save(),
        firstMs: state.firstMs,
        coolingSinceMs: state.coolingSinceMs,
      })),
    load: (saved) => {
      states.clear();
      for (const gate of saved as readonly SavedGate[]) {
        const counter = createFamilyCounter(gate.family, config(gate.limit), 0);
        counter.load(gate.counter);
        states.set(gate.scope, { ...gate, counter, cooledBy: null });
      }
    },
  };
}
