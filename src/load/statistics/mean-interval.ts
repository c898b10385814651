import { createRandom } from "../../core/random.ts";
import type { SampleSet } from "./sample-set.ts";
import { dependenceOf, momentsOf } from "./dependence.ts";
import { effectiveCount } from "./effective-count.ts";
import type { Estimate } from "./estimate.ts";
import { longerBy } from "./longer-by.ts";
import { sampleFloor } from "./percentile-estimate.ts";

/**
 * Fewest samples that a mean is reported of, the floor of the 95th percentile: with fewer the longest ones decide, and they have
 * not come yet (of lognormal latencies the interval then holds the mean in nine of ten cases only).
 */
const meanFloor = sampleFloor(95);

const resamples = 1_000;
/** Above, the mean is normal enough for its standard error; drawing again as often would only take time. */
const mostDrawn = 1_000;
/** Order statistics that stand for all samples in the standard error. */
const mostRead = 10_000;

/**
 * A mean with its 95 % interval: bootstrap percentiles (Efron 1979) of samples drawn with replacement, always by the same seed;
 * from the standard error where there are more than a thousand. Both are widened by what the samples depend on each other. Below
 * the floor the value is null.
 */
export function estimateMean(samples: SampleSet): Estimate {
  const n = samples.count;
  const mean = samples.mean();
  const open = { low: null, high: null, bounds: { least: -Infinity, most: Infinity } };
  if (mean === null || n < meanFloor) return { value: null, ...open, needed: meanFloor - n };
  // Nobody knows how long those took that were given up.
  const value = samples.open > 0 ? null : mean;
  const kept = samples.inOrder();
  const effective = effectiveCount(kept, samples.dependence(), { floor: meanFloor, least: timeOfOutages(kept) });
  const timesAsLong = (effective.timesAsLong * kept.length) / n;
  const longer = longerBy(timesAsLong, effective, n / Math.max(1, kept.length));
  if (effective.isThin || effective.count <= 0) return { value, ...open, needed: 0, ...longer };
  const widenBelow = Math.sqrt(kept.length / effective.count);
  const widenAbove = Math.sqrt(kept.length / effective.countAbove);
  const [below, above] = n > mostDrawn ? standardErrors(samples) : drawnAgain(samples, mean);
  const bounds = { least: mean - widenBelow * below, most: value === null ? Infinity : mean + widenAbove * above };
  const known = value === null ? { value, atLeast: mean } : { value };
  if (timesAsLong > 1) return { ...known, low: null, high: null, needed: 0, ...longer, bounds };
  return { ...known, low: bounds.least, high: value === null ? null : bounds.most, needed: 0, bounds };
}

/** The dependence of outages is taken for so much more than they show, as that of other bounds is. */
const caution = 3;

/**
 * How much longer the mean of values takes to be known because those that are 0 (requests that brought no token) come together: their
 * part of the variance, by their own dependence. Of one burst nobody knows how long others are. In the spread of the rest it drowns.
 */
function timeOfOutages(values: Float64Array): number {
  const marks = values.map((value) => (value === 0 ? 1 : 0));
  const { time, isSure } = dependenceOf(marks);
  if (!isSure) return 1;
  const { mean: share, variance: between } = momentsOf(marks);
  const { mean, variance } = momentsOf(values);
  const bursts = (share * values.length) / time;
  return 1 + ((between * (mean / (1 - share)) ** 2) / variance) * (caution * time * (1 + 1 / bursts) - 1);
}

function standardErrors(samples: SampleSet): readonly [below: number, above: number] {
  const reach = (1.96 * standardDeviation(samples)) / Math.sqrt(samples.count);
  return [reach, reach];
}

function drawnAgain(samples: SampleSet, value: number): readonly [below: number, above: number] {
  const n = samples.count;
  const values = Float64Array.from({ length: n }, (_, index) => samples.orderStatistic(index + 1));
  const random = createRandom(n);
  const means = Float64Array.from({ length: resamples }, () => {
    let sum = 0;
    for (let draw = 0; draw < n; draw += 1) sum += values[Math.floor(random.next() * n)] ?? 0;
    return sum / n;
  }).sort();
  return [value - (means[Math.floor(0.025 * resamples)] ?? value), (means[Math.ceil(0.975 * resamples) - 1] ?? value) - value];
}

function standardDeviation(samples: SampleSet): number {
  const mean = samples.mean() ?? 0;
  const read = Math.min(samples.count, mostRead);
  let sum = 0;
  for (let index = 0; index < read; index += 1) {
    const value = samples.orderStatistic(Math.min(samples.count, 1 + Math.floor(((index + 0.5) * samples.count) / read)));
    sum += (value - mean) ** 2;
  }
  return Math.sqrt(sum / Math.max(1, read - 1));
}
