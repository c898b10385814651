import { describe, expect, it } from "vitest";
import { queues } from "../../../bench/statistics/queues.ts";
import { createRandom } from "../../../src/core/random.ts";
import { sampleSetOf } from "../../../src/load/statistics/sample-set.ts";
import { estimatePercentile } from "../../../src/load/statistics/percentile-estimate.ts";
import { timesToDecide } from "../../../src/load/statistics/times-to-decide.ts";
import { boundTail, tailFactor } from "../../../src/load/statistics/tail-bound.ts";

/** User latencies of a run of the profile smoke beside eight busy loops: one stall in the middle, so that they hang together. */
const besideBusyLoops = [
  201, 277, 361, 341, 354, 164, 184, 248, 223, 296, 145, 204, 249, 325, 389, 279, 164, 208, 384, 330, 239, 341, 304, 207, 190,
  190, 231, 242, 247, 192, 172, 238, 240, 186, 309, 286, 203, 219, 199, 205, 318, 342, 225, 365, 480, 177, 365, 229, 170, 327,
  220, 309, 303, 327, 201, 236, 391, 309, 223, 276, 607, 271, 484, 162, 440, 520, 345, 419, 328, 282, 301, 436, 216, 383, 296,
  235, 367, 263, 259, 259, 301, 282, 386, 152, 166, 194, 325,
];

describe("the bound of a percentile from the tail", () => {
  it("is finite where samples hang together, so that a gate far beyond stands and one that is near does not", () => {
    const { value, low, high, timesAsLong, bounds } = estimatePercentile(sampleSetOf(Float64Array.from(besideBusyLoops)), 95);
    expect({ value, low, high }).toEqual({ value: 440, low: null, high: null });
    expect(timesAsLong).toBeGreaterThan(10);
    expect(bounds.most).toBeLessThan(3000);
    expect(bounds.most).toBeGreaterThan(607);
  });

  it("says how much longer a gate takes that it does not decide yet", () => {
    const estimate = estimatePercentile(sampleSetOf(Float64Array.from(besideBusyLoops)), 95);
    const { bounds } = estimate;
    const { times } = timesToDecide(estimate, 1500);
    expect(times).toBeGreaterThan(1);
    expect(times).toBeLessThan(5);
    const longer = { ...bounds.tail!, effective: times * bounds.tail!.effective };
    expect(boundTail(longer)).toBeCloseTo(1500, 0);
    // A bound below the largest value is decided by ranks alone. So few values show only how much longer that takes at the least.
    const byRanks = timesToDecide(estimate, 600);
    expect(byRanks.timesAtLeast).toBe(true);
    expect(byRanks.times).toBeGreaterThan(3);
  });

  it("is that of an exponential tail, and infinite of nothing", () => {
    // The largest of 72 independent values is above the 95th percentile in 97.5 of 100 cases.
    expect(tailFactor(72, 0.95, 0.025)).toBe(1);
    expect(tailFactor(17, 0.95, 0.025)).toBeCloseTo(1.83, 2);
    expect(tailFactor(5, 0.95, 0.025)).toBeCloseTo(4.61, 2);
    expect(tailFactor(1, 0.95, 0.025)).toBeCloseTo(118.3, 1);
    expect(tailFactor(0.001, 0.95, 0.025)).toBe(Infinity);
    expect(tailFactor(0, 0.95, 0.025)).toBe(Infinity);
  });

  it("takes the mean where one stall makes the largest of values with a large constant part", () => {
    // Times to first token of a run of the profile smoke: six effective values, none above 287 ms.
    const run = { largest: 287, smallest: 55, mean: 98.6, effective: 5.6, q: 0.9 };
    expect(run.largest * tailFactor(5.6, 0.9, 0.025)).toBeGreaterThan(800);
    expect(boundTail(run)).toBeCloseTo(675, -1);
    // It is no lower than the largest, and nothing is known from one value.
    expect(boundTail({ ...run, effective: 30 })).toBe(287);
    expect(boundTail({ ...run, effective: 1 })).toBeCloseTo(287 * tailFactor(1, 0.9, 0.025), 6);
    expect(boundTail({ ...run, largest: Infinity })).toBe(Infinity);
  });

  it("is no lower than the exponential quantile of its mean in 99.9 of 100 cases, however few values", () => {
    for (const count of [2, 3, 8, 20]) {
      const random = createRandom(count);
      const low = Array.from({ length: 3000 }, () => {
        const values = Array.from({ length: count }, () => -Math.log1p(-random.next()));
        const mean = values.reduce((sum, value) => sum + value, 0) / count;
        return boundTail({ largest: 1e-9 + Math.max(...values), smallest: 0, mean, effective: count, q: 0.95 }) < -Math.log(0.05);
      });
      // Both bounds together: 2.5 % of the one, 0.1 % of the other.
      expect(low.filter(Boolean).length / low.length).toBeLessThan(0.035);
    }
  });

  it("passes a gate below the truth in few of the runs that saw too little of a queue", () => {
    const below = queues.flatMap((queue) =>
      Array.from({ length: 25 }, (_, run) => {
        const next = queue.start(0.9, createRandom(run));
        const { bounds } = estimatePercentile(sampleSetOf(Float64Array.from({ length: 900 }, next)), 95);
        return bounds.most < 0.95 * queue.truth(0.9, 0.95);
      }),
    );
    expect(below.filter(Boolean).length).toBeLessThanOrEqual(4);
  });
});
