import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FamilyId, LimiterConfig } from "../../../src/reference/engine/limiter/limiter-family.ts";
import { createFamilyCounter } from "../../../src/reference/engine/limiter/create-family-counter.ts";
import { runsOf } from "../../make/runner/sample.ts";

/** One consumption in the past, as the naive models remember it. */
interface Taken {
  readonly atMs: number;
  readonly amount: number;
}

/** Free units at an instant, computed from the whole past by the textbook definition. */
type NaiveModel = (past: readonly Taken[], config: LimiterConfig, nowMs: number, bornMs: number) => number;

const sum = (taken: readonly Taken[]): number => taken.reduce((total, { amount }) => total + amount, 0);

function firstRequestWindow(past: readonly Taken[], config: LimiterConfig, nowMs: number, tick: number): number {
  let startMs = -Infinity;
  let used = 0;
  for (const { atMs, amount } of past) {
    const at = Math.floor(atMs / tick) * tick;
    if (at >= startMs + config.windowMs) {
      startMs = at;
      used = 0;
    }
    used += amount;
  }
  return Math.floor(nowMs / tick) * tick >= startMs + config.windowMs ? config.limit : config.limit - used;
}

/** Level of a bucket as an exact fraction with denominator `windowMs`, stepped from birth. */
function bucketLevel(
  past: readonly Taken[],
  config: LimiterConfig,
  nowMs: number,
  bornMs: number,
  tick: number,
  empty: boolean,
): number {
  const unit = BigInt(config.windowMs);
  const full = BigInt(config.capacity) * unit;
  let level = empty ? 0n : full;
  let atMs = bornMs;
  const refillTo = (instantMs: number): void => {
    const ticks = Math.floor(instantMs / tick) - Math.floor(atMs / tick);
    level += BigInt(ticks * tick) * BigInt(config.limit);
    if (level > full) level = full;
    atMs = instantMs;
  };
  for (const { atMs: takenMs, amount } of past) {
    refillTo(takenMs);
    level -= BigInt(amount) * unit;
  }
  refillTo(nowMs);
  return Number(level >= 0n ? level / unit : -((-level + unit - 1n) / unit));
}

const naive: Readonly<Partial<Record<FamilyId, NaiveModel>>> = {
  "fixed-clock": (past, { limit, windowMs }, nowMs) =>
    limit - sum(past.filter(({ atMs }) => Math.floor(atMs / windowMs) === Math.floor(nowMs / windowMs))),
  "fixed-first": (past, config, nowMs) => firstRequestWindow(past, config, nowMs, 1),
  "fixed-second": (past, config, nowMs) => firstRequestWindow(past, config, nowMs, 1000),
  "sliding-log": (past, { limit, windowMs }, nowMs) => limit - sum(past.filter(({ atMs }) => atMs > nowMs - windowMs)),
  "sliding-counter": (past, { limit, windowMs }, nowMs) => {
    const index = Math.floor(nowMs / windowMs);
    const inWindow = (which: number): number => sum(past.filter(({ atMs }) => Math.floor(atMs / windowMs) === which));
    const faded = Number((BigInt(inWindow(index - 1)) * BigInt((index + 1) * windowMs - nowMs)) / BigInt(windowMs));
    return limit - inWindow(index) - faded;
  },
  "token-bucket": (past, config, nowMs, bornMs) => bucketLevel(past, config, nowMs, bornMs, 1, false),
  "token-bucket-empty": (past, config, nowMs, bornMs) => bucketLevel(past, config, nowMs, bornMs, 1, true),
  "batch-refill": (past, config, nowMs, bornMs) => bucketLevel(past, config, nowMs, bornMs, 1000, false),
  gcra: (past, config, nowMs, bornMs) => bucketLevel(past, config, nowMs, bornMs, 1, false),
};

const modelled = Object.keys(naive) as FamilyId[];
const lawful: readonly FamilyId[] = [...modelled, "sliding-log-full", "sliding-counter-full", "token-bucket-next"];
const bornMs = Date.UTC(2026, 10, 21, 12, 0, 17, 345);

const configs = fc
  .record({
    limit: fc.integer({ min: 1, max: 700 }),
    windowMs: fc.constantFrom(1000, 10_000, 60_000),
    share: fc.constantFrom(1, 1, 2, 4),
  })
  .map(({ limit, windowMs, share }): LimiterConfig => ({ limit, windowMs, capacity: Math.ceil(limit / share) }));

/** Pauses of all sizes, biased to the edges of windows. */
const steps = fc.array(
  fc.record({
    pauseMs: fc.oneof(
      fc.constant(0),
      fc.integer({ min: 0, max: 50 }),
      fc.integer({ min: 0, max: 130_000 }),
      fc.constantFrom(999, 1000, 59_999, 60_000),
    ),
    amount: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 40 })),
  }),
  { minLength: 1, maxLength: 60 },
);

describe.each(modelled)("%s", (id) => {
  it("has the free units that its definition gives", () => {
    fc.assert(
      fc.property(configs, steps, (config, history) => {
        const counter = createFamilyCounter(id, config, bornMs);
        const past: Taken[] = [];
        let nowMs = bornMs;
        for (const { pauseMs, amount } of history) {
          nowMs += pauseMs;
          const expected = naive[id]!(past, config, nowMs, bornMs);
          expect(counter.available(config, nowMs)).toBe(expected);
          if (expected < amount) continue;
          counter.take(config, nowMs, amount);
          past.push({ atMs: nowMs, amount });
        }
      }),
      { numRuns: runsOf(150) },
    );
  });
});

describe.each(lawful)("%s", (id) => {
  it("names the first instant at which a request fits, to the millisecond", () => {
    fc.assert(
      fc.property(configs, steps, fc.integer({ min: 1, max: 5 }), (config, history, wanted) => {
        const counter = createFamilyCounter(id, config, bornMs);
        let nowMs = bornMs;
        for (const { pauseMs, amount } of history) {
          nowMs += pauseMs;
          if (counter.available(config, nowMs) >= amount) counter.take(config, nowMs, amount);
        }
        const admitsAtMs = counter.admitsAtMs(config, nowMs, wanted);
        if (wanted > (id.includes("bucket") || id === "gcra" || id === "batch-refill" ? config.capacity : config.limit)) {
          expect(admitsAtMs).toBe(Infinity);
          return;
        }
        expect(admitsAtMs).toBeGreaterThanOrEqual(nowMs);
        const fitsAt = (instantMs: number): boolean => {
          const twin = createFamilyCounter(id, config, bornMs);
          twin.load(counter.save());
          return twin.available(config, instantMs) >= wanted;
        };
        expect(fitsAt(admitsAtMs)).toBe(true);
        if (admitsAtMs > nowMs) expect(fitsAt(admitsAtMs - 1)).toBe(false);
      }),
      { numRuns: runsOf(150) },
    );
  });

  it("never moves its reset back while time goes on, and never leaves it in the past", () => {
    fc.assert(
      fc.property(configs, steps, (config, history) => {
        const counter = createFamilyCounter(id, config, bornMs);
        let nowMs = bornMs;
        let latest = -Infinity;
        for (const { pauseMs } of history) {
          nowMs += pauseMs;
          if (counter.available(config, nowMs) >= 1) counter.take(config, nowMs, 1);
          const resetAtMs = counter.resetAtMs(config, nowMs);
          expect(resetAtMs).toBeGreaterThanOrEqual(nowMs);
          expect(resetAtMs).toBeGreaterThanOrEqual(latest);
          expect(resetAtMs).toBeLessThanOrEqual(nowMs + 2 * config.windowMs + 1000);
          latest = resetAtMs;
        }
      }),
      { numRuns: runsOf(150) },
    );
  });

  it("forgets what is given back at once", () => {
    fc.assert(
      fc.property(configs, fc.integer({ min: 0, max: 20 }), (config, returned) => {
        const counter = createFamilyCounter(id, config, bornMs);
        const before = counter.available(config, bornMs);
        counter.take(config, bornMs, 20);
        counter.giveBack(config, bornMs, bornMs, returned);
        expect(counter.available(config, bornMs)).toBe(Math.min(before, before - 20 + returned));
      }),
    );
  });
});

describe("giving back later", () => {
  it.each([
    ["fixed-clock", 60_000, 0],
    ["sliding-log", 60_000, 0],
    ["sliding-counter", 180_000, 0],
  ] as const)("%s does not return units of a window that is over", (id, laterMs, expectedUsed) => {
    const config: LimiterConfig = { limit: 100, windowMs: 60_000, capacity: 100 };
    const counter = createFamilyCounter(id, config, bornMs);
    counter.take(config, bornMs, 30);
    counter.giveBack(config, bornMs + laterMs, bornMs, 10);
    expect(counter.available(config, bornMs + laterMs)).toBe(100 - expectedUsed);
  });
});
