import type { TailBound } from "../statistics/estimate.ts";
import type { Gate } from "../profile/gate.ts";

/** The range of a figure: between two ends; an end that nobody knows is infinite. */
export interface FigureRange {
  readonly least: number;
  readonly most: number;
  /** The upper end follows from the tail above the largest sample. */
  readonly tail?: TailBound;
}

export interface Comparison {
  /** Whether the bound is met wherever in its range the figure lies; null where that decides. */
  readonly met: boolean | null;
  /** From the bound to the range: an error of the figure up to this does not turn the answer. */
  readonly distance: number;
}

/** The only comparison of a figure with the bound of a gate. */
export function compareWithBound({ operator, bound }: Pick<Gate, "operator" | "bound">, range: FigureRange): Comparison {
  const { least, most } = range;
  const decide = (isMet: boolean, isMissed: boolean): Comparison => ({
    met: isMet ? true : isMissed ? false : null,
    distance: Math.max(0, least - bound, bound - most),
  });
  const isApart = least > bound || most < bound;
  const isEqual = least === bound && most === bound;
  switch (operator) {
    case "<":
      return decide(most < bound, least >= bound);
    case "<=":
      return decide(most <= bound, least > bound);
    case ">":
      return decide(least > bound, most <= bound);
    case ">=":
      return decide(least >= bound, most < bound);
    case "==":
      return decide(isEqual, isApart);
    case "!=":
      return decide(isApart, isEqual);
    default:
      return operator satisfies never;
  }
}

/** Whether a larger figure can only make it worse. */
export function isCeiling({ operator, bound }: Pick<Gate, "operator" | "bound">): boolean {
  return operator === "<" || operator === "<=" || (operator === "==" && bound === 0);
}
