import type { EstimateWithInterval } from "../../core/result/compare-result.ts";
import type { LoadBlocks } from "../../core/result/load-figures.ts";
import type { Random } from "../../core/random.ts";
import { nearestIndex } from "./nearest-rank.ts";

/**
 * One side of a comparison: rounds of blocks of one metric. A block is a sparse histogram (bucket, count, bucket, count ...)
 * or, for rates, a pair of sums [part, whole].
 */
export type Rounds = readonly (readonly (readonly number[])[])[];

export interface BootstrapOptions {
  readonly resamples: number;
  readonly random: Random;
  /** Two-sided, already corrected for the number of comparisons. */
  readonly confidence: number;
}

/** Estimates of one statistic on both sides and of their difference. */
export interface BootstrapComparison {
  readonly base: EstimateWithInterval;
  readonly next: EstimateWithInterval;
  readonly difference: EstimateWithInterval;
  readonly relative: EstimateWithInterval | null;
  /** Standard deviation of the difference over the resamples. */
  readonly standardError: number;
}

/** A statistic of merged blocks. It keeps what it was given in place: thousands of draws make no array each. */
export interface BlockStatistic {
  readonly figures: number;
  /** Forgets what was added. */
  clear(): void;
  add(block: readonly number[]): void;
  /** Every wanted figure of the blocks that were added. */
  read(): readonly number[];
}

/**
 * Block bootstrap (Carlstein 1986): whole blocks of time are drawn with replacement, so that requests which waited in the same
 * queue stay together. With several rounds the same rounds are drawn on both sides and then blocks within them, which keeps
 * the pairing of an interleaved run. Percentile intervals.
 */
export function bootstrapBlocks(
  base: Rounds,
  next: Rounds,
  statistic: BlockStatistic,
  options: BootstrapOptions,
): readonly BootstrapComparison[] {
  const { resamples, random } = options;
  const paired = base.length > 1 && base.length === next.length;
  const draws = Array.from({ length: statistic.figures }, () => ({
    base: new Float64Array(resamples),
    next: new Float64Array(resamples),
  }));
  const pickRounds = (count: number): readonly number[] => Array.from({ length: count }, () => random.integer(0, count - 1));
  const drawSide = (rounds: Rounds, picked: readonly number[]): readonly number[] => {
    statistic.clear();
    for (const round of picked) {
      const blocks = rounds[round] ?? [];
      for (let count = 0; count < blocks.length; count += 1) statistic.add(blocks[random.integer(0, blocks.length - 1)] ?? []);
    }
    return statistic.read();
  };
  const whole = [base, next].map((rounds) => {
    statistic.clear();
    for (const block of rounds.flat()) statistic.add(block);
    return statistic.read();
  });
  for (let sample = 0; sample < resamples; sample += 1) {
    const picked = pickRounds(base.length);
    const left = drawSide(base, picked);
    const right = drawSide(next, paired ? picked : pickRounds(next.length));
    for (const [figure, draw] of draws.entries()) {
      draw.base[sample] = left[figure] ?? Number.NaN;
      draw.next[sample] = right[figure] ?? Number.NaN;
    }
  }
  return draws.map((draw, figure) =>
    summarize(draw, [whole[0]?.[figure] ?? Number.NaN, whole[1]?.[figure] ?? Number.NaN], options),
  );
}

function summarize(
  draw: { readonly base: Float64Array; readonly next: Float64Array },
  point: readonly [base: number, next: number],
  { confidence }: BootstrapOptions,
): BootstrapComparison {
  const differences = draw.next.map((value, index) => value - (draw.base[index] ?? 0));
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  const variance = differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, differences.length - 1);
  const relatives = draw.next.map((value, index) => value / (draw.base[index] ?? Number.NaN) - 1);
  return {
    base: interval(point[0], draw.base, confidence),
    next: interval(point[1], draw.next, confidence),
    difference: interval(point[1] - point[0], differences, confidence),
    relative: point[0] === 0 ? null : interval(point[1] / point[0] - 1, relatives, confidence),
    standardError: Math.sqrt(variance),
  };
}

function interval(value: number, draws: Float64Array, confidence: number): EstimateWithInterval {
  const sorted = draws.toSorted();
  const tail = (1 - confidence) / 2;
  const at = (q: number): number =>
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(q * (sorted.length - 1))))] ?? value;
  return { value, low: at(tail), high: at(1 - tail), count: 0 };
}

/** Percentiles, in ascending order, of histograms with relative buckets; milliseconds. */
export function percentileStatistic(
  percentiles: readonly number[],
  bucketWidth: number,
  rounds: readonly Rounds[],
): BlockStatistic {
  let lowest = Infinity;
  let highest = -Infinity;
  for (const block of rounds.flat(2)) {
    for (let index = 0; index < block.length; index += 2) {
      lowest = Math.min(lowest, block[index] ?? 0);
      highest = Math.max(highest, block[index] ?? 0);
    }
  }
  const merged = new Float64Array(Math.max(1, highest - lowest + 1));
  const perBucket = Math.log1p(bucketWidth);
  let total = 0;
  return {
    figures: percentiles.length,
    clear() {
      merged.fill(0);
      total = 0;
    },
    add(block) {
      for (let index = 0; index < block.length; index += 2) {
        const bucket = (block[index] ?? 0) - lowest;
        const count = block[index + 1] ?? 0;
        merged[bucket] = (merged[bucket] ?? 0) + count;
        total += count;
      }
    },
    read() {
      if (total === 0) return percentiles.map(() => Number.NaN);
      let bucket = 0;
      let upTo = merged[0] ?? 0;
      // They ascend: each is looked for from where the one before it was found.
      return percentiles.map((percentile) => {
        const rank = nearestIndex(total, percentile / 100) + 1;
        while (bucket < merged.length - 1 && rank > upTo) {
          bucket += 1;
          upTo += merged[bucket] ?? 0;
        }
        return Math.exp((bucket + lowest) * perBucket) / 1000;
      });
    },
  };
}

/** Sum of the first members over the sum of the second. */
export function ratioStatistic(): BlockStatistic {
  let [part, whole] = [0, 0];
  return {
    figures: 1,
    clear() {
      [part, whole] = [0, 0];
    },
    add(block) {
      part += block[0] ?? 0;
      whole += block[1] ?? 0;
    },
    read: () => [whole === 0 ? Number.NaN : part / whole],
  };
}

/** Blocks of one metric of one profile, or null when it was not measured. */
export function metricBlocks(blocks: LoadBlocks, metric: string, endpoint: string): readonly (readonly number[])[] | null {
  return blocks.metrics.find((each) => each.metric === metric && each.endpoint === endpoint)?.counts ?? null;
}

/** Quantile of the standard normal (Acklam's rational approximation, relative error below 1.2e-9). */
export function normalQuantile(p: number): number {
  const a = [-39.69683028665376, 220.9460984245205, -275.9285104469687, 138.357751867269, -30.66479806614716, 2.506628277459239];
  const b = [-54.47609879822406, 161.5858368580409, -155.6989798598866, 66.80131188771972, -13.28068155288572];
  const c = [
    -0.007784894002430293, -0.3223964580411365, -2.400758277161838, -2.549732539343734, 4.374664141464968, 2.938163982698783,
  ];
  const d = [0.007784695709041462, 0.3224671290700398, 2.445134137142996, 3.754408661907416];
  const horner = (coefficients: readonly number[], x: number): number => coefficients.reduce((sum, value) => sum * x + value, 0);
  if (p > 0.5) return -normalQuantile(1 - p);
  if (p < 0.02425) {
    const q = Math.sqrt(-2 * Math.log(p));
    return horner(c, q) / (horner(d, q) * q + 1);
  }
  const q = p - 0.5;
  const r = q * q;
  return (horner(a, r) * q) / (horner(b, r) * r + 1);
}
