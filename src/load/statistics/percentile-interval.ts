import { dependenceOf } from "./dependence.ts";
import { effectiveCount } from "./effective-count.ts";
import { nearestIndex } from "./nearest-rank.ts";
import { orderScores } from "./order-scores.ts";
import { leastCount, rankInterval } from "./rank-interval.ts";

export interface PercentileIntervalOptions {
  /** Of the percentile: 0.95 or 95. */
  readonly p: number;
  /** Of the two-sided interval; 0.95 where it is left out. */
  readonly confidence?: number;
}

export interface PercentileInterval {
  /** As a fraction. */
  readonly p: number;
  readonly confidence: number;
  readonly count: number;
  /** So many independent values would say as much. */
  readonly effectiveCount: number;
  /** Nearest-rank percentile of the values; null where there are none. */
  readonly value: number | null;
  /** Both null where nothing can be stated. */
  readonly low: number | null;
  readonly high: number | null;
  /** About how much longer the series had to be for an interval to be stated; null where one is. */
  readonly timesAsLong: number | null;
  /** It takes that much at the least: too little was seen to know how much. */
  readonly timesAtLeast: boolean;
  /** `inconclusive: about 3 times as long ...`, or `at least`; null where an interval is stated. */
  readonly reason: string | null;
}

/**
 * A percentile of values in the order in which they came, with an interval that also holds where they depend on each other, as
 * waits in a queue do. If the series is too dependent or too short for one, it says about how long it had to be. Throws
 * RangeError for a percentile or a confidence that is none.
 */
export function percentileInterval(valuesInOrder: ArrayLike<number>, options: PercentileIntervalOptions): PercentileInterval {
  const { confidence = 0.95 } = options;
  const p = options.p < 1 ? options.p : options.p / 100;
  if (!(p > 0 && p < 1)) throw new RangeError(`p is ${options.p}; a percentile lies between 0 and 1, or as 95 between 1 and 100`);
  if (!(confidence > 0 && confidence < 1)) throw new RangeError(`confidence is ${confidence}; it lies between 0 and 1`);
  const values = Float64Array.from(valuesInOrder);
  if (values.some((value) => Number.isNaN(value))) throw new RangeError("a value is not a number");
  const sorted = values.toSorted();
  const count = values.length;
  const beyond = (1 - confidence) / 2;
  const floor = leastCount(p, beyond);
  const value = sorted[nearestIndex(count, p)] ?? null;
  const head = { p, confidence, count, value };
  const effective = effectiveCount(exceedances(values, value ?? 0), dependenceOf(orderScores(values, sorted)), {
    floor,
    q: p,
    beyond,
  });
  const ranks = rankInterval(count, effective.count, p, beyond, effective.countAbove);
  if (effective.timesAsLong > 1 || ranks.low === null || ranks.high === null) {
    const longer = effective.timesAsLong > 1 ? effective.timesAsLong : floor / effective.countAbove;
    const timesAsLong = effective.leastTimes ?? longer;
    const timesAtLeast = effective.leastTimes !== null;
    const reason =
      count === 0 ? "inconclusive: there are no values" : `inconclusive: ${describeLonger({ times: timesAsLong, timesAtLeast })}`;
    const effectiveCount = effective.isThin ? 0 : effective.count;
    return { ...head, effectiveCount, low: null, high: null, timesAsLong, timesAtLeast, reason };
  }
  return {
    ...head,
    effectiveCount: effective.count,
    low: sorted[ranks.low - 1] ?? null,
    high: sorted[ranks.high - 1] ?? null,
    timesAsLong: null,
    timesAtLeast: false,
    reason: null,
  };
}

/** One for every value above the percentile, in order. */
export function exceedances(values: Float64Array, percentile: number): Float64Array {
  return values.map((value) => (value > percentile ? 1 : 0));
}

/** The length of a measurement that decides, over that of this one. */
export interface Longer {
  readonly times: number;
  /** It takes that much at the least. */
  readonly timesAtLeast: boolean;
}

export function describeLonger({ times, timesAtLeast }: Longer): string {
  return timesAtLeast
    ? `at least ${times >= 1000 ? "a thousand" : writeTimes(times)} times as long is needed to decide it`
    : `about ${writeTimes(times)} times as long would decide it`;
}

function writeTimes(times: number): string {
  if (times >= 1000) return "a thousand and more";
  return times < 10 ? (Math.ceil(10 * times) / 10).toFixed(1) : String(Math.ceil(times));
}
