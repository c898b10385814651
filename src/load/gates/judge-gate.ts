import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { GateDoubt, GateResult } from "../../core/result/gate-result.ts";
import { compareWithBound, type FigureRange, isCeiling } from "./compare-with-bound.ts";
import type { Gate } from "../profile/gate.ts";
import { timesToDecide } from "../statistics/times-to-decide.ts";
import { describeLonger } from "../statistics/percentile-interval.ts";
import { readFigure, unreadForm, type GateSource, type NoReading, type Reading } from "./read-figure.ts";

/** A gate with its verdict, and with what decides later whether that may stand. */
export interface JudgedGate {
  readonly gate: Gate;
  readonly result: GateResult;
  /** From the figure to the bound: an error of the figure up to this cannot have turned the verdict. */
  readonly distance: number;
  /** It fails also where those errors alone count that no generator can cause. */
  readonly failsSurely: boolean;
}

/**
 * Verdict on a gate. Sampled figures are judged by their 95 % interval, or by wider bounds where none can be stated: pass when the
 * whole of it meets the bound, fail when none of it does, else `inconclusive`: too few to judge. Counts are what they are. A gate without data is never a pass.
 */
export function judgeGate(gate: Gate, all: GateSource): JudgedGate {
  const source = gate.where === undefined ? all : all.where(gate);
  if ("verdict" in source) return judgeReading(gate, source);
  const judged = scopesOf(gate, source).map((endpoint) => judgeReading(gate, readFigure(gate, source, endpoint)));
  const [first] = judged;
  if (first === undefined) return judgeReading(gate, { verdict: "inconclusive", reason: describeSilence(source) });
  const worst = (verdict: GateResult["verdict"]): JudgedGate | undefined =>
    judged.find(({ result }) => result.verdict === verdict);
  return (
    worst("fail") ??
    worst("inconclusive") ??
    worst("untested") ??
    judged.reduce((a, b) => ((b.result.margin ?? 0) < (a.result.margin ?? 0) ? b : a), first)
  );
}

function describeSilence(source: GateSource): string {
  return (source.observation("no-token") ?? 0) > 0 ? unreadForm : "nothing was measured that this gate bounds";
}

/** A verdict that may not stand: the gate keeps its figures and loses its margin. */
export function withdraw(judged: JudgedGate, reason: string, doubt?: GateDoubt): JudgedGate {
  const { timesAsLong: _, timesAtLeast: _least, ...found } = judged.result;
  const result = { ...found, margin: null, verdict: "inconclusive", reason } as const;
  return { ...judged, result: doubt === undefined ? result : { ...result, doubt } };
}

/** Unscoped gates on latencies are judged for every endpoint that has the metric: endpoints are never mixed. */
function scopesOf(gate: Gate, source: GateSource): readonly (EndpointId | null)[] {
  if (gate.endpoint !== null) return [gate.endpoint];
  if (gate.figure.kind !== "percentile" && gate.figure.kind !== "moment") return [null];
  const { metric } = gate.figure;
  return source.endpoints.filter((endpoint) => (source.samples(metric, endpoint)?.count ?? 0) > 0);
}

function judgeReading(gate: Gate, reading: Reading | NoReading): JudgedGate {
  const { id, expression, bound, unit } = gate;
  const { kind } = gate.figure;
  if ("verdict" in reading) {
    const nothing = { observed: null, low: null, high: null, margin: null };
    const result: GateResult = { id, expression, bound, unit, ...nothing, ...reading, kind, doubt: "no-figure" };
    return { gate, result, distance: 0, failsSurely: false };
  }
  const { value, low, high, needed, certain, ofPlan, givenUp } = reading;
  const { met, distance } = compareWithBound(gate, reading.range);
  const isBeyondRepair = misses(gate, ofPlan);
  // Too few samples for a figure may be enough to show that it misses the bound, by the end that is known.
  const isMet = met === true && (value !== null || needed === 0);
  const decided = met === false || isBeyondRepair ? "fail" : isMet ? "pass" : "inconclusive";
  const verdict = reading.estimate === undefined ? decided : "inconclusive";
  const observed = value ?? reading.atLeast ?? (verdict === "fail" ? low : null);
  const isLeast = value === null && reading.atLeast !== undefined;
  const found = {
    id,
    expression,
    bound,
    unit,
    observed,
    ...(isLeast && { atLeast: true as const }),
    ...(reading.estimate !== undefined && { estimated: true as const }),
    low,
    high,
  };
  const result: GateResult =
    verdict === "inconclusive"
      ? {
          ...found,
          margin: reading.estimate === undefined ? marginOf(gate, reading) : null,
          ...longer(reading, gate.bound),
          verdict,
          reason: whyOpen(reading, gate.bound),
          kind,
          doubt: doubtOf(reading),
        }
      : {
          ...found,
          margin: marginOf(gate, { value: observed, needed: 0 }),
          verdict,
          reason: value === null ? (givenUp ?? null) : null,
          kind,
        };
  return { gate, result, distance, failsSurely: misses(gate, certain) };
}

function longer(reading: Reading, bound: number): Pick<GateResult, "timesAsLong" | "timesAtLeast"> {
  if (reading.needed > 0 || doubtOf(reading) !== "too-few") return {};
  const { times, timesAtLeast } = timesToDecide({ ...reading, bounds: reading.range }, bound);
  return Number.isFinite(times) ? { timesAsLong: times, ...(timesAtLeast && { timesAtLeast }) } : {};
}

/** Whether a figure in this range is beyond a ceiling wherever it lies. */
function misses(gate: Gate, range: FigureRange | undefined): boolean {
  return range !== undefined && isCeiling(gate) && compareWithBound(gate, range).met === false;
}

function doubtOf({ givenUp, needed, value, range, estimate, openBy, paused }: Reading): GateDoubt {
  if (paused !== undefined) return "instrument";
  if (estimate !== undefined || openBy !== undefined) return "estimate";
  return givenUp !== undefined && needed === 0 && isOpenAbove(value, range) ? "given-up" : "too-few";
}

/** Requests that were given up decide where it ends. */
function isOpenAbove(value: number | null, { most }: FigureRange): boolean {
  return value === null || !Number.isFinite(most);
}

/** The evidence that would decide it. */
function whyOpen(reading: Reading, bound: number): string {
  const { value, needed, timesAsLong = 1, range, givenUp, estimate, openBy, left, paused } = reading;
  if (estimate !== undefined) return estimate;
  if (needed > 0) {
    const what = value === null ? "this figure can be reported" : "an extreme may meet a bound";
    return `too few samples: ${needed} more are needed before ${what}`;
  }
  if (openBy !== undefined) return openBy;
  if (givenUp !== undefined && isOpenAbove(value, range)) return `${givenUp}; a longer timeoutSeconds would decide it`;
  if (left !== undefined) return left;
  if (paused !== undefined) return paused;
  if (value === null) return "too few samples: the figure is not known";
  const longer = timesToDecide({ ...reading, bounds: range }, bound);
  const why =
    timesAsLong > 1
      ? "these requests depend too much on each other for a 95 % interval that decides it"
      : "too few samples: the 95 % interval holds the bound";
  return Number.isFinite(longer.times) ? `${why}; ${describeLonger(longer)}` : why;
}

/** Distance to the bound as a fraction of it, positive when met; null for equalities, bounds of 0 and what more samples may move. */
function marginOf({ bound, operator }: Gate, { value, needed }: Pick<Reading, "value" | "needed">): number | null {
  if (value === null || needed > 0 || bound === 0 || operator === "==" || operator === "!=") return null;
  return ((isCeiling({ bound, operator }) ? 1 : -1) * (bound - value)) / Math.abs(bound);
}
