import type { WitnessSetup } from "../certificates/witness-form.ts";
import type { Limiter, ModelParameters, ModelState } from "./limiter-model.ts";

/** The number of the window, or batch, that an instant lies in. */
export function windowIndex(atMs: number, originMs: number, windowMs: number): number {
  return Math.floor((atMs - originMs) / windowMs);
}

/** The number of a window, the requests counted in it and in the one before it. */
type Counted = readonly [index: number, used: number, before: number];

const nothingCounted: Counted = [Number.NEGATIVE_INFINITY, 0, 0];

/** The counts as another window sees them. */
function enterWindow(counted: Counted, index: number): Counted {
  const [at, used] = counted;
  if (index === at) return counted;
  return [index, 0, index === at + 1 ? used : 0];
}

/** The counts as the window sees them that ends at a label; null: no window does, or one that is over. */
export function enterByLabel(
  [at, used, before]: readonly number[],
  labelMs: number,
  { windowMs, phaseMs }: Pick<WitnessSetup, "windowMs" | "phaseMs">,
): Counted | null {
  const index = (labelMs - phaseMs) / windowMs;
  const counted: Counted = at === undefined ? nothingCounted : [at, used!, before!];
  return index < counted[0] || !Number.isInteger(index) ? null : enterWindow(counted, index);
}

/** State: [begin of window 0, number of the window, used in it, used in the one before it, the part of it that is over]. */
export function countByClock(
  { windowMs, phaseMs, restarts }: ModelParameters,
  left: (used: number, before: number, elapsed: number) => number,
): Limiter {
  return {
    start: [phaseMs, ...nothingCounted, 0],
    // By index: tens of thousands of requests use up a large limit, and taking arrays apart by pattern is slow.
    step: (state, op, atMs) => {
      const idle = restarts && atMs >= state[0]! + (state[1]! + 2) * windowMs;
      const originMs = idle ? atMs : state[0]!;
      const index = windowIndex(atMs, originMs, windowMs);
      const isOpen = index === state[1]! && !idle;
      const counted = isOpen ? null : enterWindow(idle ? nothingCounted : [state[1]!, state[2]!, state[3]!], index);
      const used = counted === null ? state[2]! : counted[1];
      const before = counted === null ? state[3]! : counted[2];
      return [originMs, index, op === "take" ? used + 1 : used, before, (atMs - originMs - index * windowMs) / windowMs];
    },
    left: (state) => left(state[2]!, state[3]!, state[4]!),
  };
}

/** The begin of the window of a state of `countByClock`. */
export function beginOfWindow(state: ModelState, windowMs: number): number {
  return state[0]! + state[1]! * windowMs;
}
