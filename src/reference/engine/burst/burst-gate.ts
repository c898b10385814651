import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import type { Counter, LimiterConfig } from "../limiter/limiter-family.ts";
import { createFamilyCounter } from "../limiter/create-family-counter.ts";
import type { AllowanceFamily, BurstRules } from "./burst-rules.ts";

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
  /** First request that it counted. */
  firstMs: number | null;
  /** Instant at which the running cooldown is counted to have begun. */
  coolingSinceMs: number | null;
}

interface SavedGate {
  readonly scope: string;
  readonly limit: number;
  readonly family: AllowanceFamily;
  readonly counter: unknown;
  readonly firstMs: number | null;
  readonly coolingSinceMs: number | null;
}

const minuteMs = 60_000;

export function createBurstGate(rules: BurstRules): BurstGate {
  const states = new Map<string, GateState>();

  const config = (limit: number): LimiterConfig => ({ limit, capacity: limit, windowMs: minuteMs });

  const fresh = (limit: number, nowMs: number): GateState => {
    const family = rules.family();
    return { limit, family, counter: createFamilyCounter(family, config(limit), nowMs), firstMs: null, coolingSinceMs: null };
  };

  /** State of a gate after everything that time alone does to it; null where the key has no allowance. */
  const stateAt = (key: KeyRecord, scope: string, nowMs: number): GateState | null => {
    let state = states.get(scope);
    const limit = rules.limit(key, state?.limit ?? null);
    if (limit === null) return null;
    if (state === undefined || state.limit !== limit || state.family !== rules.family()) state = fresh(limit, nowMs);
    if (nowMs >= coolsUntilMs(key, state)) {
      if (rules.restores(scope, limit)) state = fresh(limit, nowMs);
      else state.coolingSinceMs = null;
    }
    states.set(scope, state);
    return state;
  };

  const isExhausted = (state: GateState, nowMs: number): boolean => state.counter.available(config(state.limit), nowMs) < 1;

  /** By the settings of now, so that a change acts on the cooldown that is running; Infinity when none is. */
  const coolsUntilMs = (key: KeyRecord, state: GateState): number =>
    state.coolingSinceMs === null ? Infinity : state.coolingSinceMs + rules.runningCooldownMs(key);

  const startCooldown = (key: KeyRecord, state: GateState, nowMs: number): void => {
    if (rules.cooldownMs(key) > 0) state.coolingSinceMs = rules.countsFromMs(key, state.firstMs, nowMs);
  };

  return {
    check: (key, endpoint, wallMs) => {
      const nowMs = Math.floor(wallMs);
      rules.arrives();
      const scope = rules.scope(key, endpoint);
      const state = stateAt(key, scope, nowMs);
      if (state === null || !rules.enforces(scope, state.limit)) return { kind: "open" };
      if (state.coolingSinceMs === null) {
        if (!isExhausted(state, nowMs)) return { kind: "open" };
        if (rules.startsWith() === "first-refused") startCooldown(key, state, nowMs);
      }
      const opensAtMs =
        state.coolingSinceMs === null ? state.counter.admitsAtMs(config(state.limit), nowMs, 1) : coolsUntilMs(key, state);
      return { kind: "closed", untilMs: Number.isFinite(opensAtMs) ? opensAtMs : null };
    },
    take: (key, endpoint, wallMs) => {
      const nowMs = Math.floor(wallMs);
      const state = stateAt(key, rules.scope(key, endpoint), nowMs);
      if (state === null) return;
      state.firstMs ??= nowMs;
      state.counter.take(config(state.limit), nowMs, 1);
      if (isExhausted(state, nowMs) && rules.startsWith() === "last-admitted") startCooldown(key, state, nowMs);
    },
    refuse: (key, endpoint, wallMs) => {
      const nowMs = Math.floor(wallMs);
      const state = stateAt(key, rules.scope(key, endpoint), nowMs);
      if (state === null || state.coolingSinceMs === null) return;
      state.coolingSinceMs = rules.countsOnFromMs(state.coolingSinceMs, nowMs);
    },
    waitMs: (key, answer, wallMs) => {
      const cooldownMs = rules.cooldownMs(key);
      const untilMs = answer.kind === "closed" ? answer.untilMs : null;
      const waitMs = untilMs === null ? Math.max(cooldownMs, minuteMs) : Math.max(untilMs - Math.floor(wallMs), 0);
      return rules.shownWaitMs(waitMs, cooldownMs);
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
        states.set(gate.scope, { ...gate, counter });
      }
    },
  };
}
