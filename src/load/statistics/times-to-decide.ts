import type { Estimate } from "./estimate.ts";
import { timesUntilBelow } from "./tail-bound.ts";

/**
 * About how many times as long the measurement had to be for the interval to leave out this bound: it narrows with the root of the
 * number of samples. Infinite where nobody can say.
 */
export function timesToDecide(
  { value, timesAsLong = 1, bounds }: Pick<Estimate, "value" | "timesAsLong" | "bounds">,
  bound: number,
): number {
  if (value === null) return Infinity;
  const untilBelow = bounds.tail === undefined || value >= bound ? null : timesUntilBelow(bounds.tail, bound);
  if (untilBelow !== null) return untilBelow;
  const reach = value < bound ? bounds.most - value : value - bounds.least;
  return Number.isFinite(reach) ? Math.max(timesAsLong, (reach / Math.abs(value - bound)) ** 2) : timesAsLong;
}
