import type { LabelClock, WitnessSetup } from "../certificates/witness-form.ts";
import { windowIndex } from "./clock-windows.ts";
import type { LimiterModel } from "./limiter-model.ts";
import { labelled, leftBounds, type NarrowState, type NarrowStep, restrict } from "./narrow-step.ts";
import { refillOf, tokenBucket } from "./token-bucket.ts";

/** A bucket by a clock that goes in steps. */
export const batchRefill: LimiterModel = {
  hasPhase: false,
  init: (parameters) => {
    const { phaseMs, batchMs } = parameters;
    const bucket = tokenBucket.init(parameters);
    if (batchMs === 0) return bucket;
    return {
      start: bucket.start,
      step: (state, op, atMs) => bucket.step(state, op, phaseMs + windowIndex(atMs, phaseMs, batchMs) * batchMs),
      left: (state) => bucket.left(state),
    };
  },
  narrow,
};

/** Numbers: [level, batches so far]. Hidden: instant of a batch. */
function narrow(setup: WitnessSetup, clock: LabelClock): NarrowStep {
  const { capacity, startLevel, batchMs, label } = setup;
  const portion = refillOf(setup)(batchMs);
  return (state, op, atMs) => {
    const [least, most] = leftBounds(setup, op);
    const first = windowIndex(atMs, state.high, batchMs);
    const last = windowIndex(atMs, state.low, batchMs);
    const states: NarrowState[] = [];
    for (let batch = first; batch <= last; batch += 1) {
      const [held = startLevel, before = batch] = state.numbers;
      if (batch < before) continue;
      const level = Math.min(capacity, held + (batch - before) * portion);
      const admitted = level >= 1 - 1e-9;
      const left = admitted ? level - 1 : level;
      const shown = Math.floor(left + 1e-9);
      if (admitted !== op.admitted || shown < least || shown > most) continue;
      const next = restrict(state, atMs - (batch + 1) * batchMs + 1e-6, atMs - batch * batchMs, [left, batch]);
      const waits = Math.ceil(Math.max(0, (label === 0 ? capacity : 1) - left) / portion - 1e-6);
      const namedMs = (batch + waits) * batchMs + (state.low + state.high) / 2;
      states.push(...labelled(next, op.resetMs - namedMs, clock));
    }
    return states;
  };
}
