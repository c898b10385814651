import { proportionInterval } from "./binomial.ts";
import { dependenceOf, noDependence } from "./dependence.ts";
import { effectiveCount } from "./effective-count.ts";
import type { Estimate } from "./estimate.ts";
import { longerBy } from "./longer-by.ts";
import { orderScores } from "./order-scores.ts";

/** Fewer times never suffice for an interval of a series in which dependence is seen: a share of fewer requests rests on their own order. */
const leastTimes = 600;
/** As many as the batches that the variance is taken of. */
const leastClusters = 32;
/**
 * Of few bursts of failures nobody knows how long others are: of one such they may be twice as long, of ten a tenth longer. The end that bounds what
 * is rare rests on fewer trials by that.
 */
const unseenBursts = 1;

const nothingKnown = [0, 1] as const;

/** Requests that have a property. */
export interface Share {
  readonly part: number;
  readonly whole: number;
  /** One for each that has it, 0 for each that has not, in order; of those that are kept. */
  readonly inOrder: Float64Array;
  /** The times that decide who has it, in the same order: they also depend on each other where nearly all requests have the property. */
  readonly times?: Float64Array;
  /** The same with those that may have it, where nobody waited to see; left out where there are none. */
  readonly most?: Omit<Share, "most">;
}

/** A share with its 95 % interval. It reaches from the share without those that only may have the property to that with all of them. */
export function estimateShare({ most, ...sure }: Share): Estimate {
  const least = estimateKnown(sure);
  if (most === undefined) return least;
  const upper = estimateKnown(most);
  const bounds = { least: least.bounds.least, most: upper.bounds.most };
  return { ...least, value: null, atLeast: least.value ?? 0, high: upper.high, bounds };
}

/**
 * Clopper and Pearson 1934, for as many trials as are independent. A run that looks calm has too few of what is rare: the end on that
 * side rests on fewer trials. Of a series that is far too short that end is open, and the failures that were seen bound the other one.
 */
function estimateKnown({ part, whole, inOrder, times: behind }: Omit<Share, "most">): Estimate {
  const value = part / whole;
  const own = dependenceOf(inOrder);
  const ofTimes =
    behind === undefined || behind.length < leastTimes ? noDependence : dependenceOf(orderScores(behind, behind.toSorted()));
  const dependence = ofTimes.isSure && ofTimes.time > own.time ? ofTimes : own;
  // So few clusters of what is rare show nothing of their own variance.
  const isRare = inOrder.length * Math.min(value, 1 - value) < leastClusters * dependence.time;
  const effective = effectiveCount(inOrder, dependence, {
    floor: 1,
    q: Math.max(value, 1 - value),
    least: isRare && dependence.isSure ? dependence.time : 1,
  });
  const { timesAsLong: times, isThin } = effective;
  const timesAsLong = inOrder.length === 0 ? 0 : (times * inOrder.length) / whole;
  const endsFor = (count: number): readonly [number, number] => {
    const weight = inOrder.length === 0 ? 1 : Math.min(1, count / inOrder.length);
    return proportionInterval(part * weight, whole * weight);
  };
  const isOwn = behind === undefined;
  const bursts = (inOrder.length * Math.min(value, 1 - value)) / own.time;
  const longer = isOwn && bursts > 0 ? 1 + unseenBursts / bursts : 1;
  const ends = isThin && !isOwn ? nothingKnown : endsFor(effective.count);
  const rarer = isThin ? nothingKnown : endsFor((times > 1 ? effective.count : effective.countAbove) / longer);
  const [least, most] = value > 0.5 ? [rarer[0], ends[1]] : [ends[0], rarer[1]];
  const bounds = { least, most };
  return timesAsLong > 1
    ? {
        value,
        low: null,
        high: null,
        needed: 0,
        ...longerBy(timesAsLong, effective, whole / Math.max(1, inOrder.length)),
        bounds,
      }
    : { value, low: least, high: most, needed: 0, bounds };
}
