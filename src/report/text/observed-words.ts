import type { GateResult } from "../../core/result/gate-result.ts";
import { formatFigure } from "./format-number.ts";

/** Before a figure of which only the least is known. */
export const atLeastSign = ">= ";

/** Before a figure that is an estimate. */
const estimateSign = "est. ";

/** The figure that a gate saw; if there is no figure, whether it was looked for at all. */
export function observedWords(gate: GateResult): string {
  if (gate.observed !== null) {
    const sign = gate.atLeast === true ? atLeastSign : gate.estimated === true ? estimateSign : "";
    return `${sign}${formatFigure(gate.observed, gate.unit)}`;
  }
  if (gate.verdict === "untested") return "not tested";
  return gate.doubt === "too-few" ? "too few samples" : "no figure";
}
