import { type CountedValues, toRecorded } from "./counted-values.ts";
import { dependenceOf, type Dependence } from "../statistics/dependence.ts";
import { orderScores } from "../statistics/order-scores.ts";
import { build, encodeIntoCompressedBase64, type Histogram } from "hdr-histogram-js";

/** Most samples that are kept as they are; above, an HdrHistogram with three significant digits takes over. */
export const exactSampleLimit: number = 200_000;

/** Samples of one metric in milliseconds (or tokens per second). Exact while they fit, bounded memory beyond. */
export interface SampleSet {
  add(value: number): void;
  /** Adds values that were counted elsewhere: they are known by their buckets, and no longer exact. */
  merge(counted: CountedValues): void;
  readonly count: number;
  readonly exact: boolean;
  min(): number | null;
  max(): number | null;
  mean(): number | null;
  /** The k-th smallest value, k from 1 to count; from the histogram the highest value of its bucket. */
  orderStatistic(k: number): number;
  /** In the order in which they were added: the first that were kept as they are. */
  inOrder(): Float64Array;
  /** How those depend on each other. */
  dependence(): Dependence;
  /** HdrHistogram V2 compressed, base64, values in thousandths of the unit (microseconds for latencies); null when empty. */
  histogram(): string | null;
}

/** `limit` is lowered by tests only. */
export function createSampleSet(limit: number = exactSampleLimit): SampleSet {
  let values = new Float64Array(64);
  let kept = 0;
  let sorted: Float64Array | null = null;
  let dependence: Dependence | null = null;
  let count = 0;
  let sum = 0;
  let least = Infinity;
  let most = -Infinity;
  let histogram: Histogram | null = null;
  const sort = (): Float64Array => (sorted ??= values.slice(0, kept).sort());
  const set: SampleSet = {
    get count() {
      return count;
    },
    get exact() {
      return histogram === null;
    },
    merge(counted) {
      if (counted.count === 0) return;
      const into = (histogram ??= spill(values.subarray(0, kept)));
      sorted = null;
      for (const [bucket, times] of counted.buckets) into.recordValueWithCount(bucket, times);
      count += counted.count;
      sum += counted.sum;
      least = Math.min(least, counted.min);
      most = Math.max(most, counted.max);
    },
    add(value) {
      if (!Number.isFinite(value)) return;
      sum += value;
      least = Math.min(least, value);
      most = Math.max(most, value);
      if (histogram === null && count < limit) {
        if (count === values.length) {
          const grown = new Float64Array(Math.min(limit, 2 * count));
          grown.set(values);
          values = grown;
        }
        values[kept++] = value;
        sorted = null;
        dependence = null;
      } else {
        histogram ??= spill(values.subarray(0, kept));
        sorted = null;
        histogram.recordValue(toRecorded(value));
      }
      count += 1;
    },
    min: () => (count === 0 ? null : least),
    max: () => (count === 0 ? null : most),
    mean: () => (count === 0 ? null : sum / count),
    orderStatistic(k) {
      if (k < 1 || k > count) throw new RangeError(`order statistic ${k} of ${count} samples`);
      if (histogram !== null) {
        // The extremes are known exactly; between them the bucket's upper edge, half a count below the rank against rounding.
        if (k === 1) return least;
        if (k === count) return most;
        return Math.min(most, histogram.getValueAtPercentile((100 * (k - 0.5)) / count) / 1000);
      }
      return sort()[k - 1] ?? Number.NaN;
    },
    inOrder: () => values.subarray(0, kept),
    dependence: () => (dependence ??= dependenceOf(orderScores(values.subarray(0, kept), sort()))),
    histogram() {
      if (count === 0) return null;
      return encodeIntoCompressedBase64(histogram ?? spill(values.subarray(0, kept)));
    },
  };
  return set;
}

/** Of these values, and of what was counted elsewhere. */
export function sampleSetOf(values: Iterable<number>, counted: readonly CountedValues[] = []): SampleSet {
  const samples = createSampleSet();
  for (const value of values) samples.add(value);
  for (const one of counted) samples.merge(one);
  return samples;
}

function spill(values: Float64Array): Histogram {
  const histogram = build({
    bitBucketSize: 32,
    autoResize: true,
    lowestDiscernibleValue: 1,
    highestTrackableValue: 3_600_000_000,
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
  });
  for (const value of values) histogram.recordValue(toRecorded(value));
  return histogram;
}
