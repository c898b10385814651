import type { CapacityResult } from "../../core/result/load-result.ts";
import type { Extreme } from "../samples/reread-record.ts";
import { judgeGate, type JudgedGate, withdraw } from "./judge-gate.ts";
import type { GateSource } from "./read-figure.ts";

/** The capacity with each time shorter, or longer, by the error of the instrument. */
export interface ShiftedCapacity {
  readonly capacity: Readonly<Record<Extreme, CapacityResult | null>>;
  /** Why the error leaves a gate open. */
  readonly because: string;
}

/** Takes back a verdict on a capacity that the error of the instrument could have made: it is another one at an end of the error. */
export function doubtCapacity(
  judged: readonly JudgedGate[],
  source: GateSource,
  { capacity, because }: ShiftedCapacity,
): readonly JudgedGate[] {
  return judged.map((one) => {
    const { gate, result } = one;
    if (gate.figure.kind !== "capacity" || (result.verdict !== "pass" && result.verdict !== "fail")) return one;
    const isTurned = ([capacity.shortest, capacity.longest] as const).some(
      (shifted) => judgeGate(gate, { ...source, capacity: shifted }).result.verdict !== result.verdict,
    );
    return isTurned ? withdraw(one, `instrument: ${because}`, "instrument") : one;
  });
}
