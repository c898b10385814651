import type { LoadSecond } from "../../core/result/load-figures.ts";
import type { LoopDelays } from "../samples/reread-record.ts";
import type { HealthSecond } from "./generator-health.ts";
import { taintBounds } from "./second-series.ts";

/**
 * The delays of the event loop by the second in which something was read. The looks at the loop do not begin with the seconds of a
 * profile, and a delay is noticed when it is over: that of the second before may belong to an instant, and that of the second after.
 */
export function createLoopDelays(
  seconds: readonly Pick<LoadSecond, "second" | "loopDelayMaxMs">[],
  health: readonly Pick<HealthSecond, "second" | "heldMs">[],
  startMs: number,
): LoopDelays {
  const delays: number[] = [];
  // Nobody looked at the loop in a second without a delay.
  for (const { second, loopDelayMaxMs } of seconds) delays[second] = loopDelayMaxMs ?? Infinity;
  const held = new Map(health.map(({ second, heldMs }) => [second, heldMs ?? Infinity]));
  const secondOf = (atMs: number): number => Math.floor((atMs - startMs) / 1000);
  const around = (first: number, last: number): number => {
    let most = delays[first] ?? Infinity;
    for (let second = first - 1; second <= last + 1; second += 1) {
      const isInside = second >= first && second <= last;
      most = Math.max(most, delays[second] ?? (isInside ? Infinity : 0));
    }
    return most;
  };
  const at = (atMs: number): number => around(secondOf(atMs), secondOf(atMs));
  return {
    at,
    isStalled: (atMs) => at(atMs) > taintBounds.loopDelayMs,
    isStalledIn: (second) => around(second, second) > taintBounds.loopDelayMs,
    mostMs: delays.reduce((most, delay) => Math.max(most, delay), 0),
    within: (fromMs, toMs) => around(secondOf(fromMs), secondOf(toMs)),
    heldMs(fromMs, toMs) {
      let sumMs = 0;
      const end = Math.ceil((toMs - startMs) / 1000);
      for (let second = secondOf(fromMs); second < end; second += 1) sumMs += held.get(second) ?? Infinity;
      return sumMs + (held.get(end) ?? 0);
    },
  };
}
