import { describe, expect, it } from "vitest";
import { queues, type Queue } from "../../../bench/statistics/queues.ts";
import { createRandom } from "../../../src/core/random.ts";
import { percentileInterval } from "../../../src/index.ts";

const [single] = queues;

/** Intervals of so many seeded runs of a queue. */
function measure(
  queue: Queue | undefined,
  { load, length, p }: { readonly load: number; readonly length: number; readonly p: number },
  runs: number,
): readonly string[] {
  return Array.from({ length: runs }, (_, run) => {
    const next = queue?.start(load, createRandom(run)) ?? (() => Number.NaN);
    const { low, high } = percentileInterval(Array.from({ length }, next), { p });
    const truth = queue?.truth(load, p) ?? Number.NaN;
    if (low === null || high === null) return "open";
    return high < truth ? "below" : low > truth ? "above" : "covers";
  });
}

const count = (found: readonly string[], what: string): number => found.filter((one) => one === what).length;

describe("percentileInterval", () => {
  it.each([
    // Ranks of independent values cover in 76 of 100 such runs.
    ["M/M/1", 0.3, 9000, 0.95, 100],
    ["M/M/1", 0.5, 9000, 0.95, 95],
    ["on/off", 0.3, 9000, 0.99, 75],
    ["batching", 0.3, 9000, 0.5, 100],
    // Half of the runs look calm enough for an interval: the calmer ones, whose percentiles are too low.
    ["on/off", 0.5, 9000, 0.95, 30],
    ["M/M/8", 0.7, 2700, 0.95, 50],
  ])("covers the truth of %s at load %d, %i values, p %d where it is stated", (name, load, length, p, least) => {
    const found = measure(
      queues.find((queue) => queue.name === name),
      { load, length, p },
      100,
    );
    const stated = 100 - count(found, "open");
    expect(stated).toBeGreaterThanOrEqual(least);
    expect(count(found, "covers")).toBeGreaterThanOrEqual(0.93 * stated);
    // Either end is wrong in no more runs than a two-sided interval of 95 % allows, give or take one.
    expect(count(found, "below")).toBeLessThanOrEqual(0.035 * stated);
  });

  it("states nothing of a queue that it saw too little of, and says how long it had to be", () => {
    // Ranks of independent values cover in 6 of 100 such runs, and pass a gate 5 % below the truth in 73.
    expect(count(measure(single, { load: 0.9, length: 900, p: 0.95 }, 60), "open")).toBeGreaterThanOrEqual(59);
    const needed = Array.from({ length: 41 }, (_, run) => {
      const next = single?.start(0.5, createRandom(run)) ?? (() => Number.NaN);
      return percentileInterval(Array.from({ length: 900 }, next), { p: 0.95 }).timesAsLong ?? 1;
    }).sort((a, b) => a - b)[20];
    // Half of the runs of 5,000 values are stated: 5.6 times as long.
    expect(needed).toBeGreaterThan(2.8);
    expect(needed).toBeLessThan(11.2);
    // 600 times the dependence of a long run, 391 values, is 261 times as long; what 900 values show of it alone would be about 65.
    // How much longer nobody knows then: a third of what these show is what is said, as the least.
    const busy = Array.from({ length: 101 }, (_, run) => {
      const next = single?.start(0.9, createRandom(run)) ?? (() => Number.NaN);
      return percentileInterval(Array.from({ length: 900 }, next), { p: 0.95 });
    });
    expect(busy.filter(({ timesAtLeast }) => timesAtLeast).length).toBeGreaterThan(95);
    expect(busy.filter(({ timesAsLong }) => (timesAsLong ?? 1) <= 261).length).toBeGreaterThanOrEqual(96);
    expect(busy[0]?.reason).toMatch(/^inconclusive: at least [\d.]+ times as long is needed to decide it$/);
    expect(busy.map(({ timesAsLong }) => timesAsLong ?? 1).sort((a, b) => a - b)[50]).toBeGreaterThan(10);
  });

  it("is the interval of order statistics where values are independent", () => {
    const random = createRandom(9);
    const values = Array.from({ length: 1000 }, () => random.next());
    const { low, high, value, count, effectiveCount, timesAsLong, reason } = percentileInterval(values, { p: 95 });
    const sorted = values.toSorted((a, b) => a - b);
    expect({ value, count, timesAsLong, reason }).toEqual({ value: sorted[949], count: 1000, timesAsLong: null, reason: null });
    expect(effectiveCount).toBeGreaterThan(700);
    // 936 and 964 by the binomial distribution; fewer effective values make it wider, never narrower.
    expect(low).toBeLessThanOrEqual(sorted[935] ?? 0);
    expect(low).toBeGreaterThan(sorted[920] ?? 0);
    expect(high).toBeGreaterThanOrEqual(sorted[962] ?? 0);
    expect(high).toBeLessThan(sorted[980] ?? 0);
  });

  it("is wider for more confidence, the same for equal values, and inconclusive for few or none", () => {
    const random = createRandom(4);
    const values = Array.from({ length: 2000 }, () => random.next());
    const [usual, more] = [0.95, 0.99].map((confidence) => percentileInterval(values, { p: 0.5, confidence }));
    expect((more?.high ?? 0) - (more?.low ?? 0)).toBeGreaterThan((usual?.high ?? 1) - (usual?.low ?? 0));
    expect(
      percentileInterval(
        Array.from({ length: 100 }, () => 5),
        { p: 0.95 },
      ),
    ).toMatchObject({ low: 5, high: 5, value: 5 });
    expect(percentileInterval([1, 2, 3], { p: 0.95 })).toMatchObject({ low: null, high: null, timesAsLong: 24 });
    expect(percentileInterval([], { p: 0.95 })).toMatchObject({
      value: null,
      low: null,
      reason: "inconclusive: there are no values",
    });
  });

  it("names a percentile that is none", () => {
    expect(() => percentileInterval([1], { p: 0 })).toThrow("p is 0");
    expect(() => percentileInterval([1], { p: 100 })).toThrow("p is 100");
    expect(() => percentileInterval([1], { p: 0.5, confidence: 1 })).toThrow("confidence is 1");
    expect(() => percentileInterval([Number.NaN], { p: 0.5 })).toThrow("not a number");
  });
});
