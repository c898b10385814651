import type { ArrivalKind, ArrivalsOf, LoopShape } from "./arrival-kind.ts";

/** Unless the profile says otherwise. */
const longestRampMs = 500;

export const closedKind: ArrivalKind<"closed"> = { defaults: { thinkMs: 0 }, shape: closedLoop };

export function closedLoop(arrivals: ArrivalsOf<"closed">): LoopShape {
  return {
    name: "loop",
    concurrency: arrivals.concurrency,
    thinkMs: arrivals.thinkMs,
    rampMs: (loopMs) => (arrivals.rampSeconds === undefined ? Math.min(longestRampMs, loopMs / 40) : 1000 * arrivals.rampSeconds),
    describe(window) {
      const { concurrency, thinkMs, rampSeconds } = arrivals;
      const ramp = rampSeconds === undefined ? "" : `, begun over ${rampSeconds} s`;
      return `closed loop of ${concurrency}${thinkMs > 0 ? `, ${thinkMs} ms of thought` : ""}${ramp}${window}`;
    },
    withConcurrency: (concurrency) => ({ ...arrivals, concurrency }),
  };
}
