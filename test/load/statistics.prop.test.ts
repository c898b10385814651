import * as fc from "fast-check";
import { queues, served } from "../../bench/statistics/queues.ts";
import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { describe, expect, it } from "vitest";
import { createRandom, type Random } from "../../src/core/random.ts";
import { binomialAtMost, proportionInterval } from "../../src/load/statistics/binomial.ts";
import { estimatePercentile, sampleFloor } from "../../src/load/statistics/percentile-estimate.ts";
import { createSampleSet, type SampleSet } from "../../src/load/statistics/sample-set.ts";
import { driftOf, mser5 } from "../../src/load/statistics/steady-state.ts";

function setOf(values: readonly number[], limit?: number): SampleSet {
  const set = createSampleSet(limit);
  for (const value of values) set.add(value);
  return set;
}

/** Binomial cumulative by plain summation of terms, each from its logarithm: the first of them can be below any number. */
function summed(k: number, n: number, p: number): number {
  let total = 0;
  let logChoose = 0;
  for (let index = 0; index <= k; index += 1) {
    if (index > 0) logChoose += Math.log((n - index + 1) / index);
    total += Math.exp(logChoose + index * Math.log(p) + (n - index) * Math.log1p(-p));
  }
  return total;
}

describe("binomial", () => {
  it("agrees with plain summation", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 0, max: 200 }),
        fc.double({ min: 0.01, max: 0.99, noNaN: true }),
        (n, k, p) => {
          fc.pre(k < n);
          expect(binomialAtMost(k, n, p)).toBeCloseTo(summed(k, n, p), 9);
        },
      ),
    );
  });

  it("gives the exact interval of Clopper and Pearson", () => {
    // Published values for 10 of 100 and 0 of 50.
    const [low, high] = proportionInterval(10, 100);
    expect(low).toBeCloseTo(0.0490047, 6);
    expect(high).toBeCloseTo(0.1762226, 6);
    expect(proportionInterval(0, 50)[1]).toBeCloseTo(1 - 0.025 ** (1 / 50), 9);
    expect(proportionInterval(0, 0)).toEqual([0, 1]);
  });
});

describe("estimatePercentile", () => {
  it("has the floors of its definition", () => {
    expect([50, 90, 95, 99, 99.9].map((percentile) => sampleFloor(percentile))).toEqual([6, 36, 72, 368, 3688]);
  });

  it("is null below the floor, says how many are needed, and reports a lower end that exists", () => {
    const estimate = estimatePercentile(setOf(Array.from({ length: 30 }, (_, index) => index + 1)), 95);
    expect(estimate).toMatchObject({ value: null, high: null, needed: 42 });
    // They rise one after the other: the lower end is one of these bounds, not that of thirty independent values.
    const random = createRandom(2);
    const drawn = estimatePercentile(setOf(Array.from({ length: 30 }, () => random.next())), 95);
    expect(drawn).toMatchObject({ value: null, high: null, needed: 42 });
    expect(drawn.low).toBeGreaterThan(0.5);
    expect(estimatePercentile(setOf([]), 50)).toMatchObject({ value: null, low: null, high: null, needed: 6 });
  });

  it("is the nearest-rank order statistic and lies in its own interval", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1e6, noNaN: true }), { minLength: 72, maxLength: 400 }),
        fc.constantFrom(50, 75, 90, 95),
        (values, percentile) => {
          const estimate = estimatePercentile(setOf(values), percentile);
          const sorted = values.toSorted((a, b) => a - b);
          expect(estimate.value).toBe(sorted[Math.ceil((percentile / 100) * sorted.length - 1e-9) - 1]);
          expect(estimate.bounds.least).toBeLessThanOrEqual(estimate.value ?? 0);
          expect(estimate.bounds.most).toBeGreaterThanOrEqual(estimate.value ?? 0);
          if (estimate.timesAsLong === undefined) {
            expect([estimate.low, estimate.high]).toEqual([estimate.bounds.least, estimate.bounds.most]);
          } else {
            expect([estimate.low, estimate.high]).toEqual([null, null]);
            expect(estimate.timesAsLong).toBeGreaterThan(1);
          }
        },
      ),
    );
  });

  it("covers the true quantile at least as often as it says (2,000 samples of an exponential)", () => {
    const random = createRandom(5);
    let [stated, covered] = [0, 0];
    for (let trial = 0; trial < 2000; trial += 1) {
      const values = Array.from({ length: 100 }, () => -Math.log(1 - random.next()));
      const { low, high } = estimatePercentile(setOf(values), 95);
      if (low === null || high === null) continue;
      stated += 1;
      if (low <= -Math.log(0.05) && high >= -Math.log(0.05)) covered += 1;
    }
    expect(stated / 2000).toBeGreaterThan(0.8);
    expect(covered / stated).toBeGreaterThan(0.94);
  });
});

describe("createSampleSet", () => {
  it("stays within a thousandth of the exact answer when it spills into a histogram", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0.01, max: 1e5, noNaN: true }), { minLength: 100, maxLength: 600 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (values, where) => {
          const exact = setOf(values);
          const spilled = setOf(values, 50);
          expect([exact.exact, spilled.exact]).toEqual([true, false]);
          const k = 1 + Math.floor(where * (values.length - 1));
          const wanted = exact.orderStatistic(k);
          expect(Math.abs(spilled.orderStatistic(k) - wanted)).toBeLessThanOrEqual(wanted * 0.002 + 0.002);
          expect([spilled.count, spilled.min(), spilled.max()]).toEqual([values.length, exact.min(), exact.max()]);
        },
      ),
    );
  });

  it("takes any number without growing or throwing", () => {
    const set = createSampleSet(1);
    for (const value of [1, 1e308, Number.MAX_SAFE_INTEGER, Infinity, Number.NaN, 0]) set.add(value);
    expect(set.count).toBe(4);
    expect(set.histogram()?.length).toBeLessThan(1000);
  });

  it("exports a histogram that others can read and merge", () => {
    const one = decodeFromCompressedBase64(setOf([1, 2, 3]).histogram() ?? "");
    const other = decodeFromCompressedBase64(setOf([100], 0).histogram() ?? "");
    one.add(other);
    expect(one.totalCount).toBe(4);
    expect(one.maxValue).toBeGreaterThanOrEqual(100_000);
    expect(createSampleSet().histogram()).toBeNull();
  });
});

describe("steady state", () => {
  const noise = createRandom(11);

  it("cuts off a start-up transient", () => {
    const series = Array.from({ length: 1000 }, (_, index) => (index < 150 ? 300 - index : 100) + 20 * noise.next());
    const cut = mser5(series) ?? -1;
    expect(cut).toBeGreaterThanOrEqual(120);
    expect(cut).toBeLessThan(300);
    expect(driftOf(series.slice(cut))).toBe(0);
  });

  it("keeps all of a stationary series and gives up on one that never settles", () => {
    expect(mser5(Array.from({ length: 500 }, () => 50))).toBe(0);
    const rising = Array.from({ length: 500 }, (_, index) => index + 5 * noise.next());
    expect(driftOf(rising)).toBe(1);
    expect(mser5(Array.from({ length: 49 }, () => 1))).toBeNull();
  });

  it.each(queues.map(({ name, start }) => [name, start] as const))(
    "takes waits of a busy queue for no growth: %s",
    (_, start) => {
      expect(growing(300, (random) => start(0.9, random))).toBeLessThanOrEqual(18);
    },
  );

  it("finds a queue that grows for ever", () => {
    expect(growing(100, (random) => served(1, 1.5, random))).toBe(100);
    expect(growing(100, (random) => served(8, 1.2, random))).toBeGreaterThanOrEqual(90);
  });

  /** Runs of 900 values that grow by the test. */
  function growing(runs: number, start: (random: Random) => () => number): number {
    const drifts = Array.from({ length: runs }, (_, run) =>
      driftOf(Float64Array.from({ length: 900 }, start(createRandom(run)))),
    );
    return drifts.filter((drift) => drift === 1).length;
  }
});
