import type { SampleSet } from "./sample-set.ts";

/** Plain rank of values, however few: for decisions of our own, never for a figure that is reported (`reportedPercentile`). */
export function nearestRank(values: ArrayLike<number>, percentile: number): number | null {
  if (values.length === 0) return null;
  const sorted = new Float64Array(values).sort();
  return sorted[nearestIndex(sorted.length, percentile / 100)] ?? null;
}

/** The same of a set of samples. */
export function rankOf(samples: SampleSet, percentile: number): number | null {
  const { count } = samples;
  return count === 0 ? null : samples.orderStatistic(nearestIndex(count, percentile / 100) + 1);
}

/** Position of the quantile `q` among `n` sorted values, from 0. */
export function nearestIndex(n: number, q: number): number {
  return Math.min(n, Math.max(1, Math.ceil(q * n - 1e-9))) - 1;
}
