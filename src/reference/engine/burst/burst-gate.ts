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
  /** By the name that the rules count a request under. */
  readonly counters: Map<string, Counter>;
  /** First request that it counted. */
  firstMs: number | null;
  /** Instant at which the running cooldown is counted to have begun. */
  coolingSinceMs: number | null;
}

interface SavedGate {
  readonly scope: string;
  readonly limit: number;
  readonly family: AllowanceFamily;
  readonly counters: readonly (readonly [name: string, saved: unknown])[];
  readonly firstMs: number | null;
  readonly coolingSinceMs: number | null;
}

export function createBurstGate(rules: BurstRules): BurstGate {
  return new RuledGate(rules);
}

class RuledGate implements BurstGate {
  readonly #rules: BurstRules;
  /** By scope. */
  readonly #states = new Map<string, GateState>();

  constructor(rules: BurstRules) {
    this.#rules = rules;
  }

  check(key: KeyRecord, endpoint: EndpointId, wallMs: number): GateAnswer {
    const nowMs = Math.floor(wallMs);
    this.#rules.arrives();
    const scope = this.#rules.scope(key, endpoint);
    const state = this.#stateAt(key, scope, nowMs);
    if (state === null || !this.#rules.enforces(scope, state.limit)) return { kind: "open" };
    if (state.coolingSinceMs === null) {
      if (!this.#isExhausted(state, endpoint, nowMs)) return { kind: "open" };
      if (this.#rules.startsWith() === "first-refused") this.#startCooldown(key, state, nowMs);
    }
    const opensAtMs = this.#opensAtMs(key, state, endpoint, nowMs);
    return { kind: "closed", untilMs: Number.isFinite(opensAtMs) ? opensAtMs : null };
  }

  take(key: KeyRecord, endpoint: EndpointId, wallMs: number): void {
    const nowMs = Math.floor(wallMs);
    const state = this.#stateAt(key, this.#rules.scope(key, endpoint), nowMs);
    if (state === null) return;
    state.firstMs ??= nowMs;
    this.#counterOf(state, endpoint, nowMs)?.take(this.#limiterOf(state.limit), nowMs, 1);
    if (this.#isExhausted(state, endpoint, nowMs) && this.#rules.startsWith() === "last-admitted")
      this.#startCooldown(key, state, nowMs);
  }

  refuse(key: KeyRecord, endpoint: EndpointId, wallMs: number): void {
    const nowMs = Math.floor(wallMs);
    const state = this.#stateAt(key, this.#rules.scope(key, endpoint), nowMs);
    if (state === null || state.coolingSinceMs === null) return;
    state.coolingSinceMs = this.#rules.countsOnFromMs(state.coolingSinceMs, nowMs);
  }

  waitMs(key: KeyRecord, answer: GateAnswer, wallMs: number): number {
    const cooldownMs = this.#rules.cooldownMs(key);
    const untilMs = answer.kind === "closed" ? answer.untilMs : null;
    const waitMs = untilMs === null ? Math.max(cooldownMs, this.#rules.windowMs()) : Math.max(untilMs - Math.floor(wallMs), 0);
    return this.#rules.shownWaitMs(waitMs, cooldownMs);
  }

  save(): readonly SavedGate[] {
    return [...this.#states].map(([scope, { limit, family, counters, firstMs, coolingSinceMs }]) => ({
      scope,
      limit,
      family,
      counters: [...counters].map(([name, counter]) => [name, counter.save()] as const),
      firstMs,
      coolingSinceMs,
    }));
  }

  load(saved: unknown): void {
    this.#states.clear();
    for (const gate of saved as readonly SavedGate[]) {
      const counters = new Map<string, Counter>();
      for (const [name, own] of gate.counters) {
        const counter = createFamilyCounter(gate.family, this.#limiterOf(gate.limit), 0);
        counter.load(own);
        counters.set(name, counter);
      }
      this.#states.set(gate.scope, { ...gate, counters });
    }
  }

  /** State of a gate after everything that time alone does to it; null where the key has no allowance. */
  #stateAt(key: KeyRecord, scope: string, nowMs: number): GateState | null {
    let state = this.#states.get(scope);
    const limit = this.#rules.limit(key, state?.limit ?? null);
    if (limit === null) return null;
    if (state === undefined || state.limit !== limit || state.family !== this.#rules.family()) state = this.#fresh(limit);
    if (nowMs >= this.#coolsUntilMs(key, state)) {
      if (this.#rules.restores(scope, limit)) state = this.#fresh(limit);
      else state.coolingSinceMs = null;
    }
    this.#states.set(scope, state);
    return state;
  }

  #fresh(limit: number): GateState {
    return { limit, family: this.#rules.family(), counters: new Map(), firstMs: null, coolingSinceMs: null };
  }

  /** null: such a request is not counted. */
  #counterOf({ limit, family, counters }: GateState, endpoint: EndpointId, nowMs: number): Counter | null {
    const name = this.#rules.countedBy(endpoint);
    if (name === null) return null;
    const counter = counters.get(name) ?? createFamilyCounter(family, this.#limiterOf(limit), nowMs);
    counters.set(name, counter);
    return counter;
  }

  #isExhausted(state: GateState, endpoint: EndpointId, nowMs: number): boolean {
    const counter = this.#counterOf(state, endpoint, nowMs);
    return counter !== null && counter.available(this.#limiterOf(state.limit), nowMs) < 1;
  }

  #limiterOf(limit: number): LimiterConfig {
    return { limit, capacity: limit, windowMs: this.#rules.windowMs() };
  }

  #startCooldown(key: KeyRecord, state: GateState, nowMs: number): void {
    if (this.#rules.cooldownMs(key) > 0) state.coolingSinceMs = this.#rules.countsFromMs(key, state.firstMs, nowMs);
  }

  /** By the settings of now, so that a change acts on the cooldown that is running; Infinity when none is. */
  #coolsUntilMs(key: KeyRecord, { coolingSinceMs }: GateState): number {
    return coolingSinceMs === null ? Infinity : coolingSinceMs + this.#rules.runningCooldownMs(key);
  }

  /** End of the cooldown; where none runs, the instant at which the counter has room again. */
  #opensAtMs(key: KeyRecord, state: GateState, endpoint: EndpointId, nowMs: number): number {
    if (state.coolingSinceMs !== null) return this.#coolsUntilMs(key, state);
    return this.#counterOf(state, endpoint, nowMs)?.admitsAtMs(this.#limiterOf(state.limit), nowMs, 1) ?? nowMs;
  }
}
