import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { compareWithBound } from "../gates/compare-with-bound.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { gateOfRuns } from "./gate-of-runs.ts";
import { type JoinedValues, joinValues } from "./join-values.ts";

/** A gate of the last run of a repeated profile, judged over all of its runs. Pure. */
export function joinGate(last: GateResult, runs: readonly LoadProfileResult[]): GateResult {
  const found = gateOfRuns(last, runs);
  switch (found.kind) {
    case "open": {
      const { gate, run } = found;
      return { ...gate, reason: `run ${run} of ${runs.length}: ${gate.reason ?? gate.verdict}` };
    }
    case "mean":
      return judgeMean(last, joinValues(found.values), { runs: runs.length, gates: found.gates });
    case "count":
    case "one-sided":
      return worstOf(found.gates, last);
    default:
      return found satisfies never;
  }
}

/** Counts are what they are in every run. */
function worstOf(gates: readonly GateResult[], last: GateResult): GateResult {
  const rank = ({ verdict }: GateResult): number => (verdict === "fail" ? 2 : verdict === "pass" ? 0 : 1);
  return gates.reduce((worst, gate) => (rank(gate) > rank(worst) ? gate : worst), last);
}

function judgeMean(
  last: GateResult,
  { mean, low, high, between }: JoinedValues,
  { runs, gates }: { readonly runs: number; readonly gates: readonly GateResult[] },
): GateResult {
  const { timesAsLong: _times, timesAtLeast: _least, doubt: _doubt, ...rest } = last;
  const range = last.kind === "fraction" ? [Math.max(0, low), Math.min(1, high)] : [Math.max(0, low), high];
  const [least = low, most = high] = range;
  const { met } = compareWithBound(parseGate(last.expression), { least, most });
  const margins = gates.flatMap(({ margin }) => (margin === null ? [] : [margin]));
  const figures = { ...rest, observed: mean, low: least, high: most };
  if (met === null) {
    const reason = `the 95 % interval of the mean over ${runs} runs holds the bound: more runs, or longer ones, would decide it`;
    return { ...figures, margin: null, verdict: "inconclusive", reason, doubt: "too-few" };
  }
  const margin = margins.length === 0 ? null : margins.reduce((sum, each) => sum + each, 0) / margins.length;
  const spread = between === 0 ? "they agree" : `standard deviation between them ${Number(between.toPrecision(3))}`;
  return { ...figures, margin, verdict: met ? "pass" : "fail", reason: `mean over ${runs} runs; ${spread}` };
}
