import { type CountedValues, toRecorded } from "./counted-values.ts";
import { dependenceOf, type Dependence } from "../statistics/dependence.ts";
import { orderScores } from "../statistics/order-scores.ts";
import { build, encodeIntoCompressedBase64, type Histogram } from "hdr-histogram-js";

/** Most samples that are kept as they are; above, an HdrHistogram with three significant digits takes over. */
export const exactSampleLimit: number = 200_000;

/** Samples of one metric in milliseconds (or tokens per second). Exact while they fit, bounded memory beyond. */
export interface SampleSet {
  add(value: number): void;
  /** Adds one of which only the least is known: nobody waited for its end. It ranks at this value, or anywhere above. */
  addAtLeast(least: number): void;
  /** Adds values that were counted elsewhere: they are known by their buckets, and no longer exact. */
  merge(counted: CountedValues): void;
  mergeAtLeast(counted: CountedValues): void;
  readonly count: number;
  /** Those of which only the least is known. */
  readonly open: number;
  readonly exact: boolean;
  /** The extremes and the mean at the least that each value can be. */
  min(): number | null;
  max(): number | null;
  mean(): number | null;
  /** The k-th smallest value at the least that it can be, k from 1 to count; from the histogram the highest value of its bucket. */
  orderStatistic(k: number): number;
  /** The same at the most that it can be: infinite where too few ended. */
  mostOrderStatistic(k: number): number;
  /** In the order in which they were added: the first that were kept as they are. */
  inOrder(): Float64Array;
  /** How those depend on each other. */
  dependence(): Dependence;
  /** Of those that are known: HdrHistogram V2 compressed, base64, values in thousandths of the unit (microseconds for latencies); null when empty. */
  histogram(): string | null;
}

/** `limit` is lowered by tests only. */
export function createSampleSet(limit: number = exactSampleLimit): SampleSet {
  const all = new Values(limit);
  // The same without those of which only the least is known; there are none of these as a rule.
  let known = all;
  let open = 0;
  let dependence: Dependence | null = null;
  const part = (): Values => (known === all ? (known = all.copy()) : known);
  return {
    get count() {
      return all.count;
    },
    get open() {
      return open;
    },
    get exact() {
      return all.isExact;
    },
    add(value) {
      if (!Number.isFinite(value)) return;
      dependence = null;
      all.add(value);
      if (known !== all) known.add(value);
    },
    addAtLeast(least) {
      if (!Number.isFinite(least)) return;
      part();
      dependence = null;
      open += 1;
      all.add(least);
    },
    merge(counted) {
      if (counted.count === 0) return;
      all.merge(counted);
      if (known !== all) known.merge(counted);
    },
    mergeAtLeast(counted) {
      if (counted.count === 0) return;
      part();
      open += counted.count;
      all.merge(counted);
    },
    min: () => (all.count === 0 ? null : all.least),
    max: () => (all.count === 0 ? null : all.most),
    mean: () => (all.count === 0 ? null : all.sum / all.count),
    orderStatistic: (k) => all.orderStatistic(k),
    mostOrderStatistic(k) {
      if (k < 1 || k > all.count) throw new RangeError(`order statistic ${k} of ${all.count} samples`);
      return k > known.count ? Infinity : known.orderStatistic(k);
    },
    inOrder: () => all.inOrder(),
    dependence: () => (dependence ??= dependenceOf(orderScores(all.inOrder(), all.sort()))),
    histogram: () => known.encode(),
  };
}

/** Values by their size: as they are while they fit, then by buckets. */
class Values {
  count = 0;
  sum = 0;
  least = Infinity;
  most = -Infinity;
  readonly #limit: number;
  #values = new Float64Array(64);
  #kept = 0;
  #sorted: Float64Array | null = null;
  #histogram: Histogram | null = null;

  constructor(limit: number) {
    this.#limit = limit;
  }

  get isExact(): boolean {
    return this.#histogram === null;
  }

  copy(): Values {
    const copy = new Values(this.#limit);
    copy.#values = this.#values.slice();
    copy.#kept = this.#kept;
    if (this.#histogram !== null) {
      copy.#histogram = spill(new Float64Array(0));
      copy.#histogram.add(this.#histogram);
    }
    return Object.assign(copy, { count: this.count, sum: this.sum, least: this.least, most: this.most });
  }

  add(value: number): void {
    this.#note(1, value, value, value);
    this.#sorted = null;
    if (this.#histogram !== null || this.#kept >= this.#limit) {
      this.#histogram ??= spill(this.inOrder());
      this.#histogram.recordValue(toRecorded(value));
      return;
    }
    if (this.#kept === this.#values.length) {
      const grown = new Float64Array(Math.min(this.#limit, 2 * this.#kept));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.#kept++] = value;
  }

  merge({ count, sum, min, max, buckets }: CountedValues): void {
    const into = (this.#histogram ??= spill(this.inOrder()));
    this.#sorted = null;
    for (const [bucket, times] of buckets) into.recordValueWithCount(bucket, times);
    this.#note(count, sum, min, max);
  }

  orderStatistic(k: number): number {
    if (k < 1 || k > this.count) throw new RangeError(`order statistic ${k} of ${this.count} samples`);
    if (this.#histogram === null) return this.sort()[k - 1] ?? Number.NaN;
    // The extremes are known exactly; between them the bucket's upper edge, half a count below the rank against rounding.
    if (k === 1) return this.least;
    if (k === this.count) return this.most;
    return Math.min(this.most, this.#histogram.getValueAtPercentile((100 * (k - 0.5)) / this.count) / 1000);
  }

  inOrder(): Float64Array {
    return this.#values.subarray(0, this.#kept);
  }

  /** Those that were kept as they are. */
  sort(): Float64Array {
    return (this.#sorted ??= this.#values.slice(0, this.#kept).sort());
  }

  encode(): string | null {
    return this.count === 0 ? null : encodeIntoCompressedBase64(this.#histogram ?? spill(this.inOrder()));
  }

  #note(count: number, sum: number, min: number, max: number): void {
    this.count += count;
    this.sum += sum;
    this.least = Math.min(this.least, min);
    this.most = Math.max(this.most, max);
  }
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
