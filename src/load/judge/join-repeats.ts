import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { LoadProfileResult, RepeatFigure } from "../../core/result/load-result.ts";
import { compareWithBound } from "../gates/compare-with-bound.ts";
import { parseGate } from "../gates/parse-gate.ts";
import { studentQuantile, tail } from "../statistics/binomial.ts";

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

/** Values of the runs, and what is known of the figure that they are samples of. */
interface Joined {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  readonly between: number;
  readonly within: number | null;
}

interface RunValue {
  readonly value: number;
  /** Standard error within the run; null where it has no interval. */
  readonly error: number | null;
}

/** Half of an interval of 95 % in standard errors. */
const halfInterval = 1.96;

/**
 * Mean over the runs with a 95 % interval by Student's t, which knows nothing of what happens within a run. Runs that agree by chance must
 * not make it narrower than the runs by themselves are.
 */
function joinValues(values: readonly RunValue[]): Joined {
  const count = values.length;
  const mean = values.reduce((sum, { value }) => sum + value, 0) / count;
  const between = Math.sqrt(values.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / (count - 1));
  const errors = values.flatMap(({ error }) => (error === null ? [] : [error]));
  const within = errors.length === 0 ? null : Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
  const half = Math.max(
    (studentQuantile(1 - tail, count - 1) * between) / Math.sqrt(count),
    (halfInterval * (within ?? 0)) / Math.sqrt(count),
  );
  return { mean, low: mean - half, high: mean + half, between, within };
}

/** Kinds of figures of which a run has a value with an error. */
const measured: ReadonlySet<GateResult["kind"]> = new Set(["percentile", "moment", "fraction", "rate", "capacity"]);

/** Doubts that longer or more runs take away; any other one holds for all runs together, too. */
const isOpen = ({ verdict, doubt }: GateResult): boolean => verdict !== "pass" && verdict !== "fail" && doubt !== "too-few";

/** A figure that is known from one side only joins no mean: the rest of it may be anything. */
const isCensored = ({ verdict, atLeast, low, high }: GateResult): boolean =>
  atLeast === true || (verdict === "fail" && (low === null || high === null));

function joinGate(last: GateResult, runs: readonly LoadProfileResult[]): GateResult {
  const all = runs.map(({ gates }) => gates.find(({ expression }) => expression === last.expression));
  const gates = all.filter((gate) => gate !== undefined);
  const doubtful = gates.findIndex(isOpen);
  const open = gates[doubtful];
  if (open !== undefined) return { ...open, reason: `run ${doubtful + 1} of ${runs.length}: ${open.reason ?? open.verdict}` };
  const values = gates.flatMap((gate) => (gate.observed === null ? [] : [valueOf(gate.observed, gate)]));
  const isExtreme = /\.(?:max|min)(?:\[|$)/.test(last.id);
  if (!measured.has(last.kind) || isExtreme || gates.some(isCensored) || values.length < runs.length) return worstOf(gates, last);
  return judgeMean(last, joinValues(values), { runs: runs.length, gates });
}

/** Counts are what they are in every run. */
function worstOf(gates: readonly GateResult[], last: GateResult): GateResult {
  const rank = ({ verdict }: GateResult): number => (verdict === "fail" ? 2 : verdict === "pass" ? 0 : 1);
  return gates.reduce((worst, gate) => (rank(gate) > rank(worst) ? gate : worst), last);
}

function judgeMean(
  last: GateResult,
  { mean, low, high, between }: Joined,
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

function valueOf(value: number, { low, high }: { readonly low: number | null; readonly high: number | null }): RunValue {
  return { value, error: low === null || high === null ? null : (high - low) / (2 * halfInterval) };
}

const shown: readonly (readonly [LoadMetric, string, number])[] = [
  ["user-latency", "User latency", 50],
  ["user-latency", "User latency", 95],
  ["ttft", "Time to first token", 50],
  ["ttft", "Time to first token", 95],
  ["tpot", "Time per output token", 50],
];

function describeRuns(runs: readonly LoadProfileResult[]): NonNullable<LoadProfileResult["repeats"]> {
  const endpoints = [...new Set(runs.flatMap(({ distributions }) => distributions.map(({ endpoint }) => endpoint)))];
  const latencies = endpoints.flatMap((endpoint) =>
    shown.flatMap(([metric, name, percentile]): readonly RepeatFigure[] => {
      const values = runs.map((run) => {
        const found = run.distributions.find(
          (each) => each.metric === metric && each.endpoint === endpoint && each.outcome === "ok" && each.phase === "whole",
        );
        const estimate = found?.percentiles.find((each) => each.percentile === percentile);
        return estimate?.value == null ? null : valueOf(estimate.value, estimate);
      });
      return figureOf(`${name} p${percentile}, ${endpoint}`, "ms", values);
    }),
  );
  const rates = [
    ...figureOf(
      "Successful answers",
      "/s",
      runs.map(({ rates: { ok } }) => ({ value: ok, error: null })),
    ),
    ...figureOf(
      "Output tokens",
      "/s",
      runs.map(({ rates: { outputTokens } }) => (outputTokens === null ? null : { value: outputTokens, error: null })),
    ),
  ];
  return { runs: runs.length, planned: runs[0]?.repeat?.runs ?? runs.length, figures: [...latencies, ...rates] };
}

/** None where a run has no such figure. */
function figureOf(name: string, unit: RepeatFigure["unit"], values: readonly (RunValue | null)[]): readonly RepeatFigure[] {
  const known = values.filter((value) => value !== null);
  if (known.length < values.length) return [];
  return [{ name, unit, values: known.map(({ value }) => value), ...joinValues(known) }];
}
