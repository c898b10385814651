import type { EffectiveCount } from "./effective-count.ts";
import type { Estimate } from "./estimate.ts";

/** How much longer a figure of too short a series takes: `timesAsLong`, or what is known of that; `beside` such series are one measurement. */
export function longerBy(
  timesAsLong: number,
  { leastTimes }: Pick<EffectiveCount, "leastTimes">,
  beside: number,
): Pick<Estimate, "timesAsLong" | "timesAtLeast"> {
  return leastTimes === null ? { timesAsLong } : { timesAsLong: Math.max(1, leastTimes / beside), timesAtLeast: true };
}
