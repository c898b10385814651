import { bisect, tail } from "./binomial.ts";
import type { TailBound } from "./estimate.ts";

/**
 * How far up the quantile `q` may lie, for any distribution whose tail falls off like an exponential or faster: the lower one of two
 * bounds. One takes the largest value, the other the mean of what lies above the smallest one, and lies no lower than the largest. Of
 * service times with a large constant part the second is the nearer one, as a single stall makes the largest value. Infinite where nothing
 * is known.
 */
export function boundTail({ largest, smallest, mean, effective, q }: TailBound): number {
  const byMean = smallest + (mean - smallest) * meanFactor(effective) * -Math.log1p(-q);
  return Math.min(largest * tailFactor(effective, q, tail), Math.max(largest, byMean));
}

/**
 * How far above the largest value of so many independent ones the quantile `q` may lie, as a factor: with the probability `beyond`
 * at most it lies higher. The largest of exponential values is the less known the fewer they are: of seventeen the 95th percentile is
 * within 1.8 times, of five within 4.6, of two within 17. A constant part of all values only makes the bound wider. Infinite where nothing
 * is known.
 */
export function tailFactor(effective: number, q: number, beyond: number): number {
  if (effective <= 0) return Infinity;
  const least = -Math.log1p(-(beyond ** (1 / effective)));
  return least > 0 ? Math.max(1, -Math.log1p(-q) / least) : Infinity;
}

/** A calm stretch lowers all values, and not the largest alone: the mean is taken at 99.9 %. */
const surely = 3.09;

/**
 * How far above the mean of so many independent exponential values the mean of their distribution may lie, as a factor: chi-square with
 * twice their number of degrees of freedom, by Wilson and Hilferty (1931), who are on the safe side for few. Infinite for one.
 */
function meanFactor(effective: number): number {
  const spread = 1 / (9 * effective);
  const root = 1 - spread - surely * Math.sqrt(spread);
  return root > 0 ? 1 / root ** 3 : Infinity;
}

/** About how many times as many samples had to be there, none of them larger, for the bound to lie below this; null: the largest is above. */
export function timesUntilBelow(bound: TailBound, limit: number): number | null {
  if (bound.largest >= limit || bound.effective <= 0) return null;
  const isAbove = (times: number): boolean => boundTail({ ...bound, effective: times * bound.effective }) >= limit;
  return isAbove(mostTimes) ? null : bisect(1, mostTimes, isAbove);
}

const mostTimes = 1000;
