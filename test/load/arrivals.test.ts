import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import { shapeOf } from "../../src/load/arrivals/arrival-kinds.ts";
import { arrivalTimes, linearRate } from "../../src/load/arrivals/arrival-times.ts";
import { drawLength } from "../../src/load/workload/draw-length.ts";
import type { Arrivals } from "../../src/load/profile/arrivals.ts";
import type { BurstsArrivals } from "../../src/load/profile/file/bursts-arrivals.ts";
import type { LengthDistribution } from "../../src/load/profile/length-distribution.ts";
import type { PlannedSend } from "../../src/load/profile/planned-send.ts";
import { describeWorstCase } from "../../src/load/plan/describe-worst-case.ts";
import { describePlan, planLoad } from "../../src/load/plan/plan-load.ts";
import { manifestFor } from "../make/load/load-target.ts";
import { shortProfile } from "../make/load/run-against.ts";
import { runsOf } from "../make/runner/sample.ts";

function schedule(
  arrivals: Arrivals,
  durationSeconds: number,
  seed: number,
  requestLimit: number | null,
): readonly PlannedSend[] {
  const shape = shapeOf(arrivals);
  if (shape.name !== "open") throw new Error(`${arrivals.kind} has no schedule of its own`);
  const random = createRandom(seed).fork("arrivals");
  return shape.schedule({ random, durationSeconds, warmUpSeconds: 0, requestLimit, burstLimit: null, trace: [] });
}

function times(arrivals: Arrivals, durationSeconds = 1000, seed = 42, requestLimit: number | null = 60): readonly number[] {
  return schedule(arrivals, durationSeconds, seed, requestLimit).map((send) => send.atMs);
}

function gapsOf(instants: readonly number[]): readonly number[] {
  return instants.slice(1).map((at, index) => at - (instants[index] ?? 0));
}

/** Largest distance between an empirical distribution and a given one (Kolmogorov). */
function kolmogorov(values: readonly number[], cumulative: (value: number) => number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Math.max(
    ...sorted.map((value, index) =>
      Math.max((index + 1) / sorted.length - cumulative(value), cumulative(value) - index / sorted.length),
    ),
  );
}

function variation(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length) / mean;
}

function each(sizes: readonly (number | string)[], ats: readonly number[]): BurstsArrivals["bursts"] {
  return sizes.map((size, index) => ({ at: ats[index]!, size }));
}

describe("poisson arrivals", () => {
  it("builds no burst of a size that no run reaches, whatever a target says its limit is", () => {
    const arrivals = { kind: "bursts", bursts: [{ at: 0, size: "limit+1" }], spreadMs: 0, edgeMs: null } as const;
    for (const requestLimit of [20_001, 2_147_483_647, 1e15, Infinity]) {
      expect(() => schedule(arrivals, 10, 1, requestLimit)).toThrow("is unreachable: the limit is");
    }
    expect(schedule(arrivals, 10, 1, 20_000)).toHaveLength(20_001);
  });

  const instants = times({ kind: "poisson", ratePerSecond: 20 });

  it("draws exponential gaps (Kolmogorov-Smirnov at 1 %)", () => {
    const gaps = gapsOf(instants);
    expect(kolmogorov(gaps, (gap) => 1 - Math.exp(-gap / 50))).toBeLessThan(1.63 / Math.sqrt(gaps.length));
  });

  it("counts per second like a Poisson variable: variance equals mean, and totals are not rescaled to the rate", () => {
    const counts = Array.from({ length: 1000 }, () => 0);
    for (const at of instants) counts[Math.floor(at / 1000)] = (counts[Math.floor(at / 1000)] ?? 0) + 1;
    const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
    const variance = counts.reduce((sum, count) => sum + (count - mean) ** 2, 0) / counts.length;
    expect(variance / mean).toBeGreaterThan(0.85);
    expect(variance / mean).toBeLessThan(1.15);
    const totals = new Set([1, 2, 3, 4].map((seed) => times({ kind: "poisson", ratePerSecond: 20 }, 100, seed).length));
    expect(totals.size).toBeGreaterThan(1);
  });

  it("has independent gaps", () => {
    const gaps = gapsOf(instants);
    const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
    const product = gaps.slice(1).reduce((sum, gap, index) => sum + (gap - mean) * ((gaps[index] ?? 0) - mean), 0);
    const correlation = product / gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0);
    expect(Math.abs(correlation)).toBeLessThan(3 / Math.sqrt(gaps.length));
  });
});

describe("other arrivals", () => {
  it("spaces constant arrivals evenly without drift", () => {
    const instants = times({ kind: "constant", ratePerSecond: 30 });
    expect(instants).toHaveLength(30_000);
    expect(instants[29_999]).toBeCloseTo((29_999.5 * 1000) / 30, 6);
  });

  it.each([0.25, 1, 4])("draws gamma gaps of shape %d with their coefficient of variation", (shape) => {
    const gaps = gapsOf(times({ kind: "gamma", ratePerSecond: 20, shape }));
    expect(variation(gaps)).toBeGreaterThan(0.93 / Math.sqrt(shape));
    expect(variation(gaps)).toBeLessThan(1.07 / Math.sqrt(shape));
    expect(gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length).toBeCloseTo(50, -1);
  });

  it("follows a ramp exactly: quadratic count over time", () => {
    const instants = times({ kind: "ramp", fromPerSecond: 0, toPerSecond: 100, gaps: "even" }, 10);
    expect(instants).toHaveLength(500);
    expect(instants.filter((at) => at < 5000)).toHaveLength(125);
  });

  it("has a spike where it was asked for", () => {
    const spike = { kind: "spike", basePerSecond: 10, peakPerSecond: 100, atSeconds: 2, forSeconds: 1, gaps: "even" } as const;
    const instants = times(spike, 5);
    expect(instants.filter((at) => at >= 2000 && at < 3000)).toHaveLength(100);
    expect(instants).toHaveLength(140);
  });

  it("sizes bursts by the declared limit, and refuses to guess one", () => {
    const bursts = {
      kind: "bursts",
      bursts: each(["limit-1", "limit", "limit+1"], [0, 61, 122]),
      spreadMs: 0,
      edgeMs: null,
    } as const;
    expect(times(bursts)).toHaveLength(59 + 60 + 61);
    expect(times(bursts).filter((at) => at === 61_000)).toHaveLength(60);
    expect(() => times(bursts, 200, 1, null)).toThrow(/limits.requestsPerMinute/);
    expect(times({ ...bursts, bursts: each(["2*limit+1", "3*limit-2", 4], [0, 61, 122]) })).toHaveLength(121 + 178 + 4);
    // The minute of the last burst ends at 182 s.
    const edges = times({ ...bursts, edgeMs: 250 });
    expect(edges.slice(-2)).toEqual([181_750, 182_250]);
    expect(edges).toHaveLength(182);
    expect(times({ ...bursts, edgeMs: 250 }, 182)).toHaveLength(181);
    // Each at an instant of its own; what lies beyond the profile is left out.
    const named = times({ ...bursts, bursts: each([2, "limit", 1, 1], [0, 3, 3.5, 300]) }, 200);
    expect(named).toHaveLength(63);
    // One alone is not spread.
    const wide = times({ ...bursts, bursts: each([1, 50, 1], [0, 10, 20]), spreadMs: 4000 }, 200);
    expect([wide[0], wide.at(-1)]).toEqual([0, 20_000]);
    expect((wide[50] ?? 0) - (wide[1] ?? 0)).toBeGreaterThan(2000);
    expect([named.slice(0, 2), new Set(named.slice(2, 62)), named.slice(62)]).toEqual([[0, 0], new Set([3000]), [3500]]);
  });

  it("is ascending and inside its window for every kind and seed", () => {
    fc.assert(
      fc.property(
        fc.integer(),
        fc.double({ min: 0.5, max: 80, noNaN: true }),
        fc.double({ min: 0.2, max: 5, noNaN: true }),
        (seed, rate, shape) => {
          const kinds: readonly Arrivals[] = [
            { kind: "poisson", ratePerSecond: rate },
            { kind: "gamma", ratePerSecond: rate, shape },
            { kind: "ramp", fromPerSecond: rate / 3, toPerSecond: rate, gaps: "poisson" },
            { kind: "spike", basePerSecond: rate / 2, peakPerSecond: rate, atSeconds: 1, forSeconds: 1, gaps: "poisson" },
            {
              kind: "steps",
              steps: [
                { ratePerSecond: rate, seconds: 2 },
                { ratePerSecond: rate / 2, seconds: 3 },
              ],
              gaps: "poisson",
            },
          ];
          for (const kind of kinds) {
            const instants = times(kind, 5, seed);
            expect(gapsOf(instants).every((gap) => gap >= 0)).toBe(true);
            expect(instants.every((at) => at >= 0 && at < 5000)).toBe(true);
          }
        },
      ),
      { numRuns: runsOf(50) },
    );
  });

  it("inverts the cumulative rate of any ramp", () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0.1, max: 100, noNaN: true }),
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        (from, to, part) => {
          const rate = linearRate(from, to, 20);
          expect(rate.inverse(rate.expected(20 * part))).toBeCloseTo(20 * part, 4);
        },
      ),
    );
  });

  it("gives nothing for a rate that expects less than the first gap", () => {
    expect(arrivalTimes({ expected: () => 0.4, inverse: (count) => count }, () => 0.5, 0, 1000)).toEqual([]);
  });
});

describe("planLoad", () => {
  const profile = shortProfile({
    id: "p",
    arrivals: { kind: "poisson", ratePerSecond: 5 },
    durationSeconds: 10,
    workload: [{ endpoint: "chat", promptTokens: 10, outputTokens: 10 }],
  });
  const manifest = manifestFor("http://127.0.0.1:1");

  it("is the same for the same seed and another for another", () => {
    const plan = (seed: number): ReturnType<typeof planLoad> => planLoad({ profile, manifest, seed });
    expect(plan(3)).toEqual(plan(3));
    expect(plan(3).sends).not.toEqual(plan(4).sends);
    const lines = describePlan(plan(3));
    expect(lines[0]).toBe("# p: poisson 5/s for 10 s; 100 % chat stream");
    expect(lines[1]).toMatch(/^# \d+ sends, at most \d+ in one second, takes 10 s with key primary$/);
  });

  it("reports the worst case in requests, tokens and dollars", () => {
    const plan = planLoad({ profile, manifest, seed: 3 });
    expect(plan.attempts).toBe(plan.sends.length);
    // Every one once more when its connection is closed under it, and three readings of the usage report.
    expect(plan.worstCase.requests).toBe(2 * plan.sends.length + 3);
    expect(plan.worstCase.tokens).toBeGreaterThan(2 * 20 * plan.sends.length);
    expect(plan.peakPerSecond).toBeGreaterThan(5);
    const { requests, tokens } = plan.worstCase;
    const words = describeWorstCase(plan, manifest.budget, profile);
    expect(words).toMatch(new RegExp(`^at most ${requests} requests, ${tokens} tokens, 0.0\\d USD, including retries$`));
  });

  it("names the shares of its workload", () => {
    const workload = [
      { endpoint: "chat" as const, weight: 3 },
      { endpoint: "models" as const, weight: 1 },
    ];
    expect(planLoad({ profile: shortProfile({ workload }), manifest, seed: 1 }).workload).toBe("75 % chat stream, 25 % models");
  });

  it("shows a search as its engine draws it", () => {
    const arrivals = { kind: "sweep" as const, ratesPerSecond: [4, 9], secondsPerRate: 2, gaps: "poisson" as const };
    const { sends } = planLoad({ profile: { ...profile, arrivals }, manifest, seed: 3 });
    const random = createRandom(3).fork("p");
    const shape = shapeOf(arrivals);
    if (shape.name !== "search" || shape.levels.of !== "rate") throw new Error("a sweep is no search for a rate");
    const { levels } = shape;
    const drawn = [4, 9].map((level, step) => levels.schedule({ level, seconds: 2 }, step, random.fork(`rate/${step}`)));
    expect(sends.filter(({ step }) => step === 0)).toEqual(drawn[0]);
    expect(sends.filter(({ step }) => step === 1).map(({ atMs }) => atMs - 2000)).toEqual(
      drawn[1]?.map(({ atMs }) => expect.closeTo(atMs, 6)),
    );
  });
});

describe("drawLength", () => {
  const draw = (distribution: LengthDistribution): readonly number[] => {
    const random = createRandom(9);
    return Array.from({ length: 20_000 }, () => drawLength(distribution, random));
  };
  const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length / 2] ?? 0;

  it("has the centre and spread that were asked for, inside the bounds", () => {
    const normal = draw({ kind: "normal", mean: 100, standardDeviation: 10, min: 0, max: 1000 });
    expect(variation(normal)).toBeCloseTo(0.1, 2);
    const lognormal = draw({ kind: "lognormal", median: 200, sigma: 0.5, min: 20, max: 400 });
    expect(Math.abs(median(lognormal) - 200)).toBeLessThan(5);
    expect(Math.max(...lognormal)).toBe(400);
    const empirical = draw({ kind: "empirical", values: [1, 2], weights: [3, 1] });
    expect(empirical.filter((value) => value === 1).length / empirical.length).toBeCloseTo(0.75, 1);
  });
});
