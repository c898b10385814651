import type { GateResult } from "../../core/result/gate-result.ts";
import { formatFigure } from "./format-number.ts";

/** The figure that a gate saw; if there is no figure, whether it was looked for at all. */
export function observedWords(gate: GateResult): string {
  if (gate.observed !== null) return formatFigure(gate.observed, gate.unit);
  if (gate.verdict === "untested") return "not tested";
  return gate.doubt === "too-few" ? "too few samples" : "no figure";
}
