import type { LabelClock, WitnessSetup } from "../certificates/witness-form.ts";
import type { LimiterModel } from "./limiter-model.ts";
import { countInWindow, labelled, type NarrowStep } from "./narrow-step.ts";

/** Counts what came within the last window. State: the instants that are counted, oldest first. */
export const slidingLog: LimiterModel = {
  hasPhase: false,
  init: ({ limit, windowMs }) => ({
    start: [],
    step: (state, op, atMs) => {
      const log = entriesWithin(state, atMs, windowMs);
      return op === "take" ? [...log, atMs] : log;
    },
    left: (state) => limit - state.length,
  }),
  narrow,
};

function entriesWithin(log: readonly number[], atMs: number, windowMs: number): readonly number[] {
  let gone = 0;
  while (gone < log.length && log[gone]! <= atMs - windowMs) gone += 1;
  return gone === 0 ? log : log.slice(gone);
}

/** Numbers: the log. Nothing is hidden. */
function narrow(setup: WitnessSetup, clock: LabelClock): NarrowStep {
  const { limit, windowMs, countsRejects, label } = setup;
  return (state, op, atMs) => {
    const log = entriesWithin(state.numbers, atMs, windowMs);
    const after = countInWindow(setup, op, log.length);
    if (after === null) return [];
    const entries = op.admitted || countsRejects ? [...log, atMs] : log;
    const numbers = entries.slice(Math.max(0, entries.length - limit));
    const oldestMs = (numbers[0] ?? atMs) + windowMs;
    const namedMs = label === 0 ? oldestMs : label === 1 ? (numbers.at(-1) ?? atMs) + windowMs : op.admitted ? atMs : oldestMs;
    return labelled([{ ...state, numbers }], op.resetMs - namedMs, clock);
  };
}
