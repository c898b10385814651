import type { WitnessSetup } from "../certificates/witness-form.ts";
import type { LimiterModel, RenewingLimiter } from "./limiter-model.ts";
import { countInWindow, type NarrowStep, restrict } from "./narrow-step.ts";

/** Counts in windows, each of which begins with the first request after the one before it ended. */
export const fixedFromFirst: LimiterModel<RenewingLimiter> = {
  hasPhase: false,
  init: ({ limit, windowMs }) => {
    const endMs: RenewingLimiter["fullMs"] = (state) => state[0]! + windowMs;
    // State: [begin of the window, used in it]. A window in which nothing was counted has not begun.
    return {
      start: [Number.NEGATIVE_INFINITY, 0],
      step: (state, op, atMs) => {
        const isOver = state[1] === 0 || atMs >= endMs(state);
        if (op === "ask") return isOver ? [atMs, 0] : state;
        return isOver ? [atMs, 1] : [state[0]!, state[1]! + 1];
      },
      left: (state) => limit - state[1]!,
      beganMs: (state) => state[0]!,
      nextMs: endMs,
      fullMs: endMs,
    };
  },
  narrow: (setup) => (setup.wholeSeconds ? narrowWholeSeconds(setup) : narrow(setup)),
};

/** A clock in whole seconds moves the end of a window by so much. */
const wholeSecondMs = 1000;

/** Numbers: [label, used, start]. Hidden: label minus end of its window. */
function narrow(setup: WitnessSetup): NarrowStep {
  const { windowMs } = setup;
  return (state, op, atMs) => {
    const [label = Number.NEGATIVE_INFINITY, used = 0, startMs = Number.NEGATIVE_INFINITY] = state.numbers;
    const opens = op.resetMs !== label;
    if (opens && (op.resetMs < label || atMs < startMs + windowMs - wholeSecondMs)) return [];
    if (!opens && atMs > startMs + windowMs) return [];
    const after = countInWindow(setup, op, opens ? 0 : used);
    if (after === null) return [];
    const from = opens ? atMs : startMs;
    const offset = op.resetMs - from - windowMs;
    return restrict(state, offset - wholeSecondMs / 2, offset + wholeSecondMs / 2, [op.resetMs, after, from]);
  };
}

/** Numbers: [label, used]. Hidden: clock of the service minus run clock; it has reached a label when the window is over. */
function narrowWholeSeconds(setup: WitnessSetup): NarrowStep {
  const { windowMs } = setup;
  return (state, op, atMs) => {
    const [label = Number.NEGATIVE_INFINITY, used = 0] = state.numbers;
    const opens = op.resetMs !== label;
    if (op.resetMs < label || op.resetMs % wholeSecondMs !== 0) return [];
    const after = countInWindow(setup, op, opens ? 0 : used);
    if (after === null) return [];
    const beforeLabelMs = op.resetMs - atMs;
    const openedMs = beforeLabelMs - windowMs;
    return opens
      ? restrict(state, Math.max(openedMs, label - atMs), openedMs + wholeSecondMs - 1e-3, [op.resetMs, after])
      : restrict(state, openedMs, beforeLabelMs - 1e-3, [op.resetMs, after]);
  };
}
