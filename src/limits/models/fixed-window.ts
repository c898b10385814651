import type { WitnessSetup } from "../certificates/witness-form.ts";
import { beginOfWindow, countByClock, type Counted, enterWindow, nothingCounted } from "./clock-windows.ts";
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
  const { windowMs, phaseMs } = setup;
  return (state, op, atMs) => {
    const [at, used, before] = state.numbers;
    const index = (op.resetMs - phaseMs) / windowMs;
    const counted: Counted = at === undefined ? nothingCounted : [at, used!, before!];
    if (index < counted[0] || !Number.isInteger(index)) return [];
    const [, own, last] = enterWindow(counted, index);
    const after = countInWindow(setup, op, own);
    if (after === null) return [];
    return restrict(state, op.resetMs - windowMs - atMs, op.resetMs - atMs, [index, after, last]);
  };
}
