import type { LoadSecond } from "../../core/result/load-figures.ts";

/** The longest delay of the event loop in these seconds, in ms. */
export function longestDelay(seconds: readonly Pick<LoadSecond, "loopDelayMaxMs">[]): number {
  return seconds.reduce((most, { loopDelayMaxMs }) => Math.max(most, loopDelayMaxMs ?? 0), 0);
}
