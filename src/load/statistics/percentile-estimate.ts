import { nearestRank, rankOf } from "./nearest-rank.ts";
import type { PercentileEstimate } from "../../core/result/load-figures.ts";
import { binomialAtMost, tail } from "./binomial.ts";
import type { SampleSet } from "../samples/sample-set.ts";

/** Percentiles of every distribution in a result. */
export const reportedPercentiles: readonly number[] = [50, 75, 90, 95, 99, 99.9, 99.99];

/**
 * A percentile with its distribution-free confidence interval from order statistics (David and Nagaraja 2003, section 7.1):
 * [x(l), x(u)] covers the true quantile with at least 95 %, whatever the distribution. The sample floor is the
 * least n for which such an upper end exists: 1 - q^n >= 97.5 %: p50 6, p90 36, p95 72,
 * p99 368, p99.9 3688. Below the floor the value is null and `needed` says how many samples are missing; a lower end that
 * exists is reported all the same, it is enough to fail a gate. The value itself is the nearest-rank order statistic.
 */
export function estimatePercentile(samples: SampleSet, percentile: number): PercentileEstimate {
  const n = samples.count;
  const q = percentile / 100;
  const needed = Math.max(0, sampleFloor(percentile) - n);
  const lowRank = n === 0 ? 0 : largestRank(n, q);
  const low = lowRank === 0 ? null : samples.orderStatistic(lowRank);
  if (needed > 0) return { percentile, value: null, low, high: null, needed };
  const highRank = smallestRank(n, q);
  return {
    percentile,
    value: rankOf(samples, percentile),
    low,
    high: highRank === null ? null : samples.orderStatistic(highRank),
    needed: 0,
  };
}

/**
 * The same value of a short list; null below the floor. Every value that is reported as a percentile comes from here or from
 * above.
 */
export function reportedPercentile(values: ArrayLike<number>, percentile: number): number | null {
  return values.length < sampleFloor(percentile) ? null : nearestRank(values, percentile);
}

/** Least number of samples for a percentile with a two-sided interval of 95 %. */
export function sampleFloor(percentile: number): number {
  const q = percentile / 100;
  // The side that is farther out decides; low percentiles need their lower end.
  return Math.ceil(Math.log(tail) / Math.log(Math.max(q, 1 - q)) - 1e-9);
}

/** Largest l with P(B < l) <= tail, B binomial(n, q): x(l) is at most the quantile with 1 - tail. 0 when there is none. */
function largestRank(n: number, q: number): number {
  return lastTrue(n, (rank) => binomialAtMost(rank - 1, n, q) <= tail);
}

/** Smallest u with P(B >= u) <= tail: x(u) is at least the quantile with 1 - tail. */
function smallestRank(n: number, q: number): number | null {
  const below = lastTrue(n, (rank) => 1 - binomialAtMost(rank - 1, n, q) > tail);
  return below >= n ? null : below + 1;
}

/** Largest rank in 1..n for which a condition that turns from true to false holds, else 0. */
function lastTrue(n: number, holds: (rank: number) => boolean): number {
  let low = 0;
  let high = n;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}
