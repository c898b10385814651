/** The limit that a counter enforces. All instants are whole Unix milliseconds, all arithmetic is on integers. */
export interface LimiterConfig {
  /** Units per window, and the refill of a bucket over one window. */
  readonly limit: number;
  readonly windowMs: number;
  /** Units that can be taken at once; buckets only, elsewhere equal to `limit`. */
  readonly capacity: number;
}

/**
 * A way to count over windows. Functions change `state`, which is plain data, in place; before each of the others `advance` is
 * called. The specification leaves the algorithm open (Rate limits), so all of these are lawful.
 */
export interface LimiterFamily<State> {
  readonly id: string;
  create(config: LimiterConfig, nowMs: number): State;
  /** Changes the state by the passing of time alone. */
  advance(state: State, config: LimiterConfig, nowMs: number): void;
  /** Whole units that could be taken now; negative when more was taken than allowed. */
  available(state: State, config: LimiterConfig, nowMs: number): number;
  /** Records consumption, allowed or not. */
  take(state: State, config: LimiterConfig, nowMs: number, amount: number): void;
  /** Returns part of what was taken at `takenAtMs`, as far as it still counts. */
  giveBack(state: State, config: LimiterConfig, nowMs: number, takenAtMs: number, amount: number): void;
  /** A refused request that counts nevertheless (variant). */
  punish(state: State, config: LimiterConfig, nowMs: number): void;
  /** The instant that the reset header names in this family. */
  resetAtMs(state: State, config: LimiterConfig, nowMs: number): number;
  /** Earliest instant at which `amount` could be taken if nobody else came; Infinity when never. */
  admitsAtMs(state: State, config: LimiterConfig, nowMs: number, amount: number): number;
}

export type FamilyId =
  | "fixed-clock"
  | "fixed-first"
  | "fixed-second"
  | "sliding-log"
  | "sliding-log-full"
  | "sliding-counter"
  | "sliding-counter-full"
  | "token-bucket"
  | "token-bucket-next"
  | "token-bucket-empty"
  | "batch-refill"
  | "gcra";

/** One counter of one family, its state hidden. */
export interface Counter {
  readonly family: string;
  available(config: LimiterConfig, nowMs: number): number;
  take(config: LimiterConfig, nowMs: number, amount: number): void;
  giveBack(config: LimiterConfig, nowMs: number, takenAtMs: number, amount: number): void;
  punish(config: LimiterConfig, nowMs: number): void;
  resetAtMs(config: LimiterConfig, nowMs: number): number;
  admitsAtMs(config: LimiterConfig, nowMs: number, amount: number): number;
  /** A copy of the state, plain JSON. */
  save(): unknown;
  load(saved: unknown): void;
}

export type CreateCounter = (config: LimiterConfig, nowMs: number) => Counter;

/** Counters of a family; the kind of their state differs from family to family, and nobody outside sees it. */
export function counting<State>(family: LimiterFamily<State>): CreateCounter {
  return (config, nowMs) => createCounter(family, config, nowMs);
}

function createCounter<State>(family: LimiterFamily<State>, config: LimiterConfig, nowMs: number): Counter {
  let state = family.create(config, nowMs);
  const at = (config: LimiterConfig, nowMs: number): State => {
    family.advance(state, config, nowMs);
    return state;
  };
  return {
    family: family.id,
    available: (config, nowMs) => family.available(at(config, nowMs), config, nowMs),
    take: (config, nowMs, amount) => family.take(at(config, nowMs), config, nowMs, amount),
    giveBack: (config, nowMs, takenAtMs, amount) => family.giveBack(at(config, nowMs), config, nowMs, takenAtMs, amount),
    punish: (config, nowMs) => family.punish(at(config, nowMs), config, nowMs),
    resetAtMs: (config, nowMs) => family.resetAtMs(at(config, nowMs), config, nowMs),
    admitsAtMs: (config, nowMs, amount) => family.admitsAtMs(at(config, nowMs), config, nowMs, amount),
    save: () => structuredClone(state),
    load: (saved) => {
      state = structuredClone(saved) as State;
    },
  };
}
