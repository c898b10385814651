import { bisect, tail } from "./binomial.ts";
import type { TailBound } from "./estimate.ts";

/**
 * How far above the largest value of so many independent ones the quantile `q` may lie, as a factor: with the probability `beyond`
 * at most it lies higher, for any distribution whose tail falls off like an exponential or faster. The largest of exponential
 * values is the less known the fewer they are: of seventeen the 95th percentile is within 1.8 times, of five within 4.6, of two
 * within 17. A constant part of all values only makes the bound wider. Infinite where nothing is known.
 */
export function tailFactor(effective: number, q: number, beyond: number): number {
  if (effective <= 0) return Infinity;
  const least = -Math.log1p(-(beyond ** (1 / effective)));
  return least > 0 ? Math.max(1, -Math.log1p(-q) / least) : Infinity;
}

/** About how many times as many samples had to be there, none of them larger, for the bound to lie below this; null: the largest is above. */
export function timesUntilBelow({ largest, effective, q }: TailBound, limit: number): number | null {
  if (largest >= limit || effective <= 0) return null;
  const isAbove = (times: number): boolean => largest * tailFactor(times * effective, q, tail) >= limit;
  return isAbove(mostTimes) ? null : bisect(1, mostTimes, isAbove);
}

const mostTimes = 1000;
