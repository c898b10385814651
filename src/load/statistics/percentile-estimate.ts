import { nearestIndex, nearestRank, rankOf } from "./nearest-rank.ts";
import type { PercentileEstimate } from "../../core/result/load-figures.ts";
import { tail } from "./binomial.ts";
import { effectiveCount } from "./effective-count.ts";
import type { Bounded, TailBound } from "./estimate.ts";
import { longerBy } from "./longer-by.ts";
import { exceedances } from "./percentile-interval.ts";
import { leastCount, rankInterval } from "./rank-interval.ts";
import type { SampleSet } from "./sample-set.ts";
import { boundTail } from "./tail-bound.ts";

/** Percentiles of every distribution in a result. */
export const reportedPercentiles: readonly number[] = [50, 75, 90, 95, 99, 99.9, 99.99];

const noRanks = { low: null, high: null };

/**
 * A percentile with its distribution-free confidence interval from order statistics (`rankInterval`): it covers the true quantile
 * with 95 %, whatever the distribution, also where samples depend on those before them. The sample floor is the least number of
 * independent samples for which an upper end exists: 1 - q^n >= 97.5 %: p50 6, p90 36, p95 72, p99 368, p99.9 3688. Below the floor
 * the value is null and `needed` says how many samples are missing; a lower end that exists is reported all the same, it is enough
 * to fail a gate. The value itself is the nearest-rank order statistic. Requests that were given up rank at the least they took for
 * lower ends and above all others for upper ends; where these two differ, the value is null and `atLeast` holds the lower. Samples
 * that depend too much on each other for an upper rank have an upper bound from the tail (`boundTail`): a gate far beyond it stands.
 */
export function estimatePercentile(samples: SampleSet, percentile: number): PercentileEstimate & Bounded {
  const n = samples.count;
  const q = percentile / 100;
  const floor = sampleFloor(percentile);
  const needed = Math.max(0, floor - n);
  const least = rankOf(samples, percentile);
  const kept = samples.inOrder();
  const dependence = samples.dependence();
  const effective = effectiveCount(exceedances(kept, least ?? 0), dependence, { floor, q });
  const isStated = effective.timesAsLong <= 1;
  // Samples whose order was not kept are as dependent as the others.
  const beside = kept.length === 0 ? 1 : n / kept.length;
  const [count, above] =
    kept.length === 0 ? [n, n] : [effective.count * beside, (isStated ? effective.countAbove : effective.count) * beside];
  const ranks = effective.isThin ? noRanks : rankInterval(n, count, q, tail, above);
  const low = ranks.low === null ? null : samples.orderStatistic(ranks.low);
  const tailed = ranks.high !== null || needed > 0 ? undefined : tailOf(samples, above, q);
  // Infinite where it lies among those that were given up.
  const ranked = ranks.high === null ? Infinity : samples.mostOrderStatistic(ranks.high);
  const most = tailed === undefined ? ranked : boundTail(tailed);
  const high = Number.isFinite(most) ? most : null;
  const bounds = { least: low ?? -Infinity, most, ...(tailed && { tail: tailed }) };
  if (needed > 0) return { percentile, value: null, low, high: null, needed, bounds };
  const isKnown = least !== null && samples.mostOrderStatistic(nearestIndex(n, q) + 1) === least;
  const value = isKnown ? { value: least } : { value: null, ...(least !== null && { atLeast: least }) };
  const hasBoth = ranks.low !== null && ranks.high !== null;
  const timesAsLong = Math.max(effective.timesAsLong / beside, hasBoth ? 0 : floor / Math.max(1, above));
  if (timesAsLong <= 1) return { percentile, ...value, low, high, needed, bounds };
  return { percentile, ...value, low: null, high: null, needed, ...longerBy(timesAsLong, effective, beside), bounds };
}

function tailOf(samples: SampleSet, effective: number, q: number): TailBound {
  const largest = samples.mostOrderStatistic(samples.count);
  return { largest, smallest: samples.min() ?? largest, mean: samples.mean() ?? largest, effective, q };
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
  return leastCount(percentile / 100, tail);
}
