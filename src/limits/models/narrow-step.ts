import type { LabelClock, WitnessOp, WitnessSetup } from "../certificates/witness-form.ts";

/** The state of a limiter after some decisions; its hidden number lies between `low` and `high`. */
export interface NarrowState {
  readonly low: number;
  readonly high: number;
  readonly numbers: readonly number[];
  /** Least and greatest distance of a label from the instant that it names. */
  readonly nearest: number;
  readonly farthest: number;
  /** Set by a decision whose own instant is the hidden number from now on; `closed` is what the one before it came to. */
  readonly anchor: { readonly closed: number | null } | null;
}

/**
 * States after the request was decided at `atMs` with its own status and reading; empty when it cannot have been. Nothing else need
 * be decided before `dueMs`.
 */
export type NarrowStep = (state: NarrowState, op: WitnessOp, atMs: number, dueMs: number) => readonly NarrowState[];

/** Lowest and highest whole number of requests left after the decision that the reading allows. */
export function leftBounds(setup: WitnessSetup, op: WitnessOp): readonly [least: number, most: number] {
  const least = op.remaining - (op.admitted ? setup.before : 0);
  return [least, least + setup.rounding - 1];
}

export function restrict(state: NarrowState, low: number, high: number, numbers: readonly number[]): readonly NarrowState[] {
  const narrowed = { ...state, anchor: null, low: Math.max(state.low, low), high: Math.min(state.high, high), numbers };
  return narrowed.low <= narrowed.high ? [narrowed] : [];
}

/** Labels are rounded to a second by one clock: their distances from what they name differ by no more. */
export function labelled(
  states: readonly NarrowState[],
  distance: number,
  { slackMs, lowMs, highMs }: LabelClock,
): readonly NarrowState[] {
  return states.flatMap((state) => {
    const nearest = Math.min(state.nearest, distance);
    const farthest = Math.max(state.farthest, distance);
    const fits = farthest - nearest <= 1000 + slackMs && farthest >= lowMs - 1000 && nearest <= highMs + 1000;
    return fits ? [{ ...state, nearest, farthest }] : [];
  });
}

/** The count after a decision in a window in which so many were used; null: its answer is another. */
export function countInWindow(setup: WitnessSetup, op: WitnessOp, used: number): number | null {
  const { limit } = setup;
  if (op.admitted !== used < limit) return null;
  const after = op.admitted ? used + 1 : used;
  const [least, most] = leftBounds(setup, op);
  return limit - after >= least && limit - after <= most ? after : null;
}
