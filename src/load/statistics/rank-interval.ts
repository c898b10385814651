import { binomialAtMost, bisect } from "./binomial.ts";

/** Ranks from 1 to n; null where there is no such end. */
export interface RankInterval {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Ranks of order statistics that hold the quantile `q` (David and Nagaraja 2003, section 7.1): x(l) is above it, and x(u) below
 * it, with the probability `beyond` at most. `effective` of the `n` values are independent: the ranks are those of so many values,
 * which need be no whole number, at their place among all. `above` are those of the upper end, where it rests on fewer.
 */
export function rankInterval(n: number, effective: number, q: number, beyond: number, above: number = effective): RankInterval {
  const low = n === 0 || effective < 1 ? null : lowRank(n, effective, q, beyond);
  const high = n === 0 || above < 1 ? null : highRank(n, above, q, beyond);
  return { low, high };
}

function lowRank(n: number, effective: number, q: number, beyond: number): number | null {
  const isLow = (rank: number): boolean => binomialAtMost(rank - 1, effective, q) <= beyond;
  return isLow(1) ? Math.max(1, Math.floor(placeOf(n, effective) * bisect(1, effective, isLow) + 1e-9)) : null;
}

function highRank(n: number, effective: number, q: number, beyond: number): number | null {
  const isBelow = (rank: number): boolean => 1 - binomialAtMost(rank - 1, effective, q) > beyond;
  return isBelow(effective) ? null : Math.min(n, Math.ceil(placeOf(n, effective) * bisect(1e-9, effective, isBelow) - 1e-9));
}

function placeOf(n: number, effective: number): number {
  return (n + 1) / (effective + 1);
}

/** Least number of independent values that have both ends. */
export function leastCount(q: number, beyond: number): number {
  // The side that is farther out decides; low percentiles need their lower end.
  return Math.ceil(Math.log(beyond) / Math.log(Math.max(q, 1 - q)) - 1e-9);
}
