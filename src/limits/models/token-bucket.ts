import type { LabelClock, WitnessSetup } from "../certificates/witness-form.ts";
import type { LimiterModel, RenewingLimiter } from "./limiter-model.ts";
import { labelled, leftBounds, type NarrowState, type NarrowStep, restrict } from "./narrow-step.ts";

/** A bucket that is refilled all the time. State: [missing, at]. */
export const tokenBucket: LimiterModel<RenewingLimiter> = {
  hasPhase: false,
  init: ({ limit, windowMs, capacity }) => {
    const refill = refillOf({ limit, windowMs });
    const left: RenewingLimiter["left"] = (state) => capacity - state[0]!;
    return {
      start: [0, Number.NEGATIVE_INFINITY],
      step: (state, op, askedMs) => {
        const atMs = Math.max(state[1]!, askedMs);
        const missing = Math.max(0, state[0]! - refill(atMs - state[1]!));
        return [op === "take" ? Math.min(capacity, missing + 1) : missing, atMs];
      },
      left,
      beganMs: () => Number.NEGATIVE_INFINITY,
      nextMs: (state) => state[1]! + (1 - left(state)) * (windowMs / limit),
      fullMs: (state) => state[1]! + (state[0]! * windowMs) / limit,
    };
  },
  narrow,
};

/** Requests that come back in some time. */
export function refillOf({ limit, windowMs }: Pick<WitnessSetup, "limit" | "windowMs">): (ms: number) => number {
  return (ms) => (limit * ms) / windowMs;
}

/**
 * Numbers: [what the bucket would hold now if nothing had come in since the anchor]. Hidden: the anchor, when it was last full or was
 * created; that decision may lie anywhere until `dueMs`.
 */
function narrow(setup: WitnessSetup, clock: LabelClock): NarrowStep {
  const { limit, windowMs, capacity, startLevel, label } = setup;
  const rate = limit / windowMs;
  return (state, op, atMs, dueMs) => {
    const [held] = state.numbers;
    const taken = op.admitted ? 1 : 0;
    const [least, most] = leftBounds(setup, op);
    if (!op.admitted && op.remaining !== 0) return [];
    const lowest = Math.max(0, least);
    const highest = op.admitted ? most + 1 : 1;
    const named = (states: readonly NarrowState[], level: number): readonly NarrowState[] =>
      labelled(states, op.resetMs - atMs - Math.max(0, (label === 0 ? capacity : 1) - level) / rate, clock);
    const anchored = (level: number, closed: number | null): readonly NarrowState[] => {
      const left = level - taken;
      if (left < lowest - 1e-9 || left >= highest) return [];
      return named([{ ...state, numbers: [left], low: atMs, high: dueMs, anchor: { closed } }], left);
    };
    if (held === undefined) return anchored(startLevel, null);
    const fullMs = atMs - (capacity - held) / rate;
    const full = restrict(state, Number.NEGATIVE_INFINITY, Math.min(fullMs, atMs), []).flatMap((part) =>
      anchored(capacity, (part.low + part.high) / 2),
    );
    const left = held - taken;
    const below = restrict(
      state,
      Math.max(fullMs, atMs - (highest - left) / rate + 1e-6),
      Math.min(atMs, atMs - (lowest - left) / rate),
      [left],
    ).flatMap((part) => named([part], left + rate * (atMs - (part.low + part.high) / 2)));
    return [...full, ...below];
  };
}
