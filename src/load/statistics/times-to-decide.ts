import type { Estimate } from "./estimate.ts";
import type { Longer } from "./percentile-interval.ts";
import { timesUntilBelow } from "./tail-bound.ts";

/**
 * About how many times as long the measurement had to be for the interval to leave out this bound: it narrows with the root of the
 * number of samples. Infinite where nobody can say. Of samples whose dependence is hardly known, the least that an interval takes.
 */
export function timesToDecide(
  { value, timesAsLong = 1, timesAtLeast, bounds }: Pick<Estimate, "value" | "timesAsLong" | "timesAtLeast" | "bounds">,
  bound: number,
): Longer {
  const about = (times: number): Longer => ({ times, timesAtLeast: false });
  if (value === null) return about(Infinity);
  const untilBelow = bounds.tail === undefined || value >= bound ? null : timesUntilBelow(bounds.tail, bound);
  if (untilBelow !== null) return about(untilBelow);
  if (timesAtLeast === true) return { times: timesAsLong, timesAtLeast };
  const reach = value < bound ? bounds.most - value : value - bounds.least;
  return about(Number.isFinite(reach) ? Math.max(timesAsLong, (reach / Math.abs(value - bound)) ** 2) : timesAsLong);
}
