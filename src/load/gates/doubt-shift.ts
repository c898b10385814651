import type { GateFigure } from "../profile/gate.ts";
import type { Extreme } from "../samples/reread-record.ts";
import { judgeGate, type JudgedGate, withdraw } from "./judge-gate.ts";
import type { GateSource } from "./read-figure.ts";

/** The figures of a profile with each time shorter, or longer, by the error of the instrument. */
export interface ShiftedFigures {
  readonly shifted: Readonly<Record<Extreme, () => GateSource>>;
  /** Why the error leaves a gate open. */
  readonly because: string;
}

/**
 * Takes back a verdict on a figure that follows from times and is none itself, where the error of the instrument could have made it: it is
 * another one at an end of the error.
 */
export function doubtShift(judged: readonly JudgedGate[], { shifted, because }: ShiftedFigures): readonly JudgedGate[] {
  return judged.map((one) => {
    const { gate, result } = one;
    if (!followsFromTimes(gate.figure) || (result.verdict !== "pass" && result.verdict !== "fail")) return one;
    const ends = [shifted.shortest, shifted.longest];
    const isTurned = ends.some((sourceOf) => judgeGate(gate, sourceOf()).result.verdict !== result.verdict);
    return isTurned ? withdraw(one, `instrument: ${because}`, "instrument") : one;
  });
}

function followsFromTimes(figure: GateFigure): boolean {
  switch (figure.kind) {
    case "capacity":
      return true;
    case "fraction":
      return figure.name === "goodput";
    case "rate":
      return figure.name === "goodput_rate";
    case "percentile":
    case "moment":
      return figure.metric === "tokens-per-second";
    case "count":
    case "observation":
    case "limits":
      return false;
    default:
      return figure satisfies never;
  }
}
