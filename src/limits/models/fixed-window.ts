import type { WitnessSetup } from "../certificates/witness-form.ts";
import { beginOfWindow, countByClock, enterByLabel } from "./clock-windows.ts";
import type { LimiterModel, RenewingLimiter } from "./limiter-model.ts";
import { countInWindow, type NarrowStep, restrict } from "./narrow-step.ts";

/** Counts in windows of the clock. */
export const fixedWindow: LimiterModel<RenewingLimiter> = {
  hasPhase: true,
  init: (parameters) => {
    const { limit, windowMs } = parameters;
    const endMs: RenewingLimiter["fullMs"] = (state) => beginOfWindow(state, windowMs) + windowMs;
    return {
      ...countByClock(parameters, (used) => limit - used),
      beganMs: (state) => beginOfWindow(state, windowMs),
      nextMs: endMs,
      fullMs: endMs,
    };
  },
  narrow,
};

/** Numbers: those of `Counted`; the label says which window it is. Hidden: label minus end of its window. */
function narrow(setup: WitnessSetup): NarrowStep {
  const { windowMs } = setup;
  return (state, op, atMs) => {
    const entered = enterByLabel(state.numbers, op.resetMs, setup);
    if (entered === null) return [];
    const [index, own, last] = entered;
    const after = countInWindow(setup, op, own);
    if (after === null) return [];
    return restrict(state, op.resetMs - windowMs - atMs, op.resetMs - atMs, [index, after, last]);
  };
}
