import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { compareWithBound } from "../gates/compare-with-bound.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { describeRepeatEnd } from "./describe-repeat-end.ts";
import { figuresOfRuns } from "./figures-of-runs.ts";
import { gateOfRuns } from "./gate-of-runs.ts";
import { type JoinedValues, joinValues } from "./join-values.ts";

/**
 * The runs of a profile that was sent several times, with what all of them say: gates are judged over the runs, and stand with the last
 * one. The gates of a run by itself stay with it as `ownGates`. Profiles that were sent once stay as they are. Pure.
 */
export function joinRepeats(profiles: readonly LoadProfileResult[]): readonly LoadProfileResult[] {
  return profiles.map((profile) => {
    if (profile.repeat === undefined) return profile;
    const { of } = profile.repeat;
    const runs = profiles.filter(({ repeat }) => repeat?.of === of);
    if (runs.length < 2) return profile;
    const own = { ...profile, ownGates: profile.gates };
    if (runs.at(-1) !== profile) return { ...own, gates: [] };
    return { ...own, gates: profile.gates.map((gate) => joinGate(gate, runs)), repeats: describeRuns(runs) };
  });
}

function joinGate(last: GateResult, runs: readonly LoadProfileResult[]): GateResult {
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
  const { timesAsLong: _times, doubt: _doubt, ...rest } = last;
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

function describeRuns(runs: readonly LoadProfileResult[]): NonNullable<LoadProfileResult["repeats"]> {
  const figures = figuresOfRuns(runs).flatMap(({ name, unit, values }) => {
    const known = values.filter((value) => value !== null);
    return known.length < values.length ? [] : [{ name, unit, values: known.map(({ value }) => value), ...joinValues(known) }];
  });
  const end = describeRepeatEnd(runs);
  return { runs: runs.length, planned: runs[0]?.repeat?.runs ?? runs.length, figures, ...(end === null ? {} : { end }) };
}
