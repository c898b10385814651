import type { MetricComparison } from "../../../core/result/compare-result.ts";
import type { GateResult } from "../../../core/result/gate-result.ts";
import type { GateFigure } from "../../../load/profile/gate.ts";
import { parseFigure, splitGate } from "../../../load/gates/parse-gate.ts";

/**
 * A gate whose interval happens to hold its bound was judged: whether it does is a matter of chance between equal targets. That is no
 * lost coverage where the comparison has resolved the figure itself.
 */
export function isLeftOpen(profile: string, gate: GateResult, compared: readonly MetricComparison[]): boolean {
  if (gate.verdict !== "inconclusive" || gate.doubt !== "too-few" || gate.observed === null) return false;
  // The comparison is about all requests, such a gate about a part of them.
  if (splitGate(gate.expression)?.where != null) return false;
  const { endpoint, figure } = parseFigure(gate.id);
  const metric = metricOf(figure);
  const same = compared.filter(
    (each) =>
      each.profile === profile && each.metric === metric && (endpoint === null || (each.endpoint ?? endpoint) === endpoint),
  );
  return same.length > 0 && same.every(({ verdict }) => verdict !== "too few" && verdict !== "instrument unknown");
}

function metricOf(figure: GateFigure): MetricComparison["metric"] | null {
  switch (figure.kind) {
    case "percentile":
    case "moment":
      return figure.metric;
    case "fraction":
      return figure.name === "goodput" || figure.name === "error_rate" ? "good-fraction" : null;
    case "rate":
      return figure.name === "output_tokens_rate" ? "output-tokens-per-second" : "ok-per-second";
    case "capacity":
    case "count":
    case "observation":
    case "limits":
      return null;
    default:
      return figure satisfies never;
  }
}
