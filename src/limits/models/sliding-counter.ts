import type { WitnessSetup } from "../certificates/witness-form.ts";
import { countByClock, enterByLabel } from "./clock-windows.ts";
import type { LimiterModel, ModelParameters } from "./limiter-model.ts";
import { leftBounds, type NarrowStep, restrict } from "./narrow-step.ts";

/** Counts in windows of the clock, and the last one by the part of it that still lies within a window's reach. */
export const slidingCounter: LimiterModel = {
  hasPhase: true,
  init: (parameters) => {
    const round = rounds[parameters.weigh];
    return countByClock(parameters, (used, before, elapsed) => parameters.limit - used - round(before * (1 - elapsed)));
  },
  narrow,
};

const rounds: Readonly<Record<ModelParameters["weigh"], (carried: number) => number>> = {
  exact: (carried) => carried,
  floor: Math.floor,
  ceil: Math.ceil,
};

/**
 * Numbers: those of `Counted`; the label says which window it is. Hidden: label minus end of its window, which fixes what the last
 * one weighs.
 */
function narrow(setup: WitnessSetup): NarrowStep {
  const { limit, windowMs, countsRejects, weigh } = setup;
  return (state, op, atMs) => {
    const entered = enterByLabel(state.numbers, op.resetMs, setup);
    if (entered === null) return [];
    const [index, own, last] = entered;
    const after = own + (op.admitted || countsRejects ? 1 : 0);
    const [least, most] = leftBounds(setup, op);
    // The sliding counter carries over a whole number of requests.
    const none = least <= 0 || !op.admitted;
    const fewest = Math.max(0, op.admitted ? limit - after - most : limit - own);
    const greatest = none ? (op.admitted ? limit - own - 1 : last) : Math.min(limit - after - least, limit - own - 1);
    if (fewest > greatest || (!op.admitted && op.remaining !== 0)) return [];
    const lowest = weigh === "floor" ? fewest : fewest - 1 + 1e-9;
    const highest = weigh === "floor" ? greatest + 1 - 1e-9 : greatest;
    const numbers = [index, after, last];
    const endMs = op.resetMs - atMs;
    if (last === 0) return lowest <= 0 ? restrict(state, endMs - windowMs, endMs, numbers) : [];
    const least0 = Math.max(0, lowest) / last;
    const most1 = Math.min(1, highest / last);
    return restrict(state, endMs - most1 * windowMs, endMs - least0 * windowMs, numbers);
  };
}
