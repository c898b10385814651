import type { FamilyId, LimiterConfig, LimiterFamily } from "./limiter-family.ts";

/**
 * A bucket of `capacity` units that refills by `limit` units per window. Credit is kept in units x window length, so one
 * millisecond adds exactly `limit` and no rounding ever loses a unit.
 */
export interface BucketState {
  credit: number;
  /** Instant up to which the refill is in `credit`. */
  atMs: number;
}

interface BucketRules {
  /** Refills happen at multiples of this. */
  readonly stepMs: number;
  readonly startsEmpty: boolean;
  /** Meaning of the reset header: bucket full, or the next unit. */
  readonly reset: "full" | "next";
}

const continuous: BucketRules = { stepMs: 1, startsEmpty: false, reset: "full" };

/** Reset: when the bucket is full again. */
export const tokenBucket: LimiterFamily<BucketState> = createBucketFamily("token-bucket", continuous);

/** Reset: when the next unit arrives. */
export const tokenBucketNext: LimiterFamily<BucketState> = createBucketFamily("token-bucket-next", {
  ...continuous,
  reset: "next",
});

/** A new key has to earn its allowance. */
export const tokenBucketEmpty: LimiterFamily<BucketState> = createBucketFamily("token-bucket-empty", {
  ...continuous,
  startsEmpty: true,
});

/** Refills once a second instead of continuously. */
export const batchRefill: LimiterFamily<BucketState> = createBucketFamily("batch-refill", { ...continuous, stepMs: 1000 });

function createBucketFamily(id: FamilyId, rules: BucketRules): LimiterFamily<BucketState> {
  const step = (instantMs: number): number => Math.floor(instantMs / rules.stepMs) * rules.stepMs;
  /** First refill instant at which the credit reaches `wanted`. */
  const reachesAtMs = (state: BucketState, config: LimiterConfig, nowMs: number, wanted: number): number => {
    if (state.credit >= wanted) return nowMs;
    const steps = Math.ceil((wanted - state.credit) / (config.limit * rules.stepMs));
    return state.atMs + steps * rules.stepMs;
  };
  return {
    id,
    create: (config, nowMs) => ({ credit: rules.startsEmpty ? 0 : config.capacity * config.windowMs, atMs: step(nowMs) }),
    advance: (state, config, nowMs) => {
      const untilMs = step(nowMs);
      if (untilMs <= state.atMs) return;
      state.credit = Math.min(config.capacity * config.windowMs, state.credit + (untilMs - state.atMs) * config.limit);
      state.atMs = untilMs;
    },
    available: (state, config) => Math.floor(state.credit / config.windowMs),
    take: (state, config, _nowMs, amount) => {
      state.credit -= amount * config.windowMs;
    },
    giveBack: (state, config, _nowMs, _takenAtMs, amount) => {
      state.credit = Math.min(config.capacity * config.windowMs, state.credit + amount * config.windowMs);
    },
    punish: (state) => {
      state.credit = Math.min(state.credit, 0);
    },
    resetAtMs: (state, config, nowMs) => {
      const full = config.capacity * config.windowMs;
      const next = (Math.floor(state.credit / config.windowMs) + 1) * config.windowMs;
      return reachesAtMs(state, config, nowMs, rules.reset === "full" ? full : Math.min(next, full));
    },
    admitsAtMs: (state, config, nowMs, amount) =>
      amount > config.capacity ? Infinity : reachesAtMs(state, config, nowMs, amount * config.windowMs),
  };
}
