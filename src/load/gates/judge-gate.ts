import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { GateDoubt, GateResult } from "../../core/result/gate-result.ts";
import type { LoadMetric, PercentileEstimate } from "../../core/result/load-figures.ts";
import { proportionInterval } from "../statistics/binomial.ts";
import type { Gate, GateFigure, GateOperator } from "./gate.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import type { ObservationId } from "../samples/observation-ids.ts";
import { estimatePercentile, sampleFloor } from "../statistics/percentile-estimate.ts";
import type { SampleSet } from "../samples/sample-set.ts";

/** Figures of the measured window that gates may ask for. */
export interface GateSource {
  /** Endpoints of the workload. */
  readonly endpoints: readonly EndpointId[];
  /** Samples of successes; null when the endpoint has none of this metric. */
  samples(metric: LoadMetric, endpoint: EndpointId): SampleSet | null;
  /** Requests that have the property, out of those that could have had it; endpoint null is the whole profile. */
  fraction(
    name: Extract<GateFigure, { kind: "fraction" }>["name"],
    endpoint: EndpointId | null,
  ): readonly [part: number, whole: number];
  /** Per second with its 95 % interval; a value of null: too few requests. Null: nothing of the kind. */
  rate(name: Extract<GateFigure, { kind: "rate" }>["name"], endpoint: EndpointId | null): RateEstimate | null;
  count(name: Extract<GateFigure, { kind: "count" }>["name"], endpoint: EndpointId | null): number;
  /** null: nothing was seen that could have shown it. */
  observation(id: ObservationId): number | null;
  /** null until the limit judges have spoken. */
  limits(name: keyof LimitFigures): number | null;
}

/** A gate with what was found. */
export interface JudgedGate {
  readonly gate: Gate;
  readonly result: GateResult;
}

export type RateEstimate = Omit<PercentileEstimate, "percentile">;

/**
 * Samples from which on an extreme (`max`, `min`, a share of none or of all) may meet a bound: as many as bound the 95th
 * percentile too. One that breaks the bound is enough.
 */
const extremeFloor = sampleFloor(95);

/**
 * Verdict on a gate. Sampled figures are judged by their 95 % interval: pass when the whole interval meets the bound, fail
 * when none of it does, else `inconclusive`: too few to judge. Counts are what they are. A gate without data is never a pass.
 */
export function judgeGate(gate: Gate, source: GateSource): GateResult {
  const scopes = scopesOf(gate, source);
  const results = scopes.map((endpoint) => judgeFor(gate, source, endpoint));
  const [first] = results;
  if (first === undefined) return withoutFigure(gate, "inconclusive", "nothing was measured that this gate bounds");
  const worst = (verdict: GateResult["verdict"]): GateResult | undefined => results.find((result) => result.verdict === verdict);
  return (
    worst("fail") ??
    worst("inconclusive") ??
    worst("untested") ??
    results.reduce((a, b) => ((b.margin ?? 0) < (a.margin ?? 0) ? b : a), first)
  );
}

/** Unscoped gates on latencies are judged for every endpoint that has the metric: endpoints are never mixed. */
function scopesOf(gate: Gate, source: GateSource): readonly (EndpointId | null)[] {
  if (gate.endpoint !== null) return [gate.endpoint];
  if (gate.figure.kind !== "percentile" && gate.figure.kind !== "moment") return [null];
  const { metric } = gate.figure;
  return source.endpoints.filter((endpoint) => (source.samples(metric, endpoint)?.count ?? 0) > 0);
}

function judgeFor(gate: Gate, source: GateSource, endpoint: EndpointId | null): GateResult {
  const { figure } = gate;
  switch (figure.kind) {
    case "percentile": {
      const samples = endpoint === null ? null : source.samples(figure.metric, endpoint);
      if (samples === null || samples.count === 0) return noData(gate, endpoint);
      return judgeInterval(gate, estimatePercentile(samples, figure.percentile));
    }
    case "moment": {
      const samples = endpoint === null ? null : source.samples(figure.metric, endpoint);
      if (samples === null || samples.count === 0) return noData(gate, endpoint);
      if (figure.which !== "mean") return judgeExtreme(gate, samples[figure.which]() ?? 0, samples.count, figure.which);
      return judgeInterval(gate, estimateMean(samples));
    }
    case "fraction": {
      const [part, whole] = source.fraction(figure.name, endpoint);
      if (whole === 0) return noData(gate, endpoint);
      // No sample proves that there is never any, or always: that is judged as an extreme.
      const extreme = gate.bound === 0 ? "max" : gate.bound === 1 ? "min" : null;
      const isExtreme = ["==", gate.bound === 0 ? "<=" : ">="].includes(gate.operator);
      if (extreme !== null && isExtreme) return judgeExtreme(gate, part / whole, whole, extreme);
      const [low, high] = proportionInterval(part, whole);
      return judgeInterval(gate, { value: part / whole, low, high, needed: 0 });
    }
    case "rate": {
      const rate = source.rate(figure.name, endpoint);
      return rate === null ? noData(gate, endpoint) : judgeInterval(gate, rate);
    }
    case "count":
      return judgeExact(gate, source.count(figure.name, endpoint));
    case "observation": {
      const value = source.observation(figure.id);
      if (value !== null) return judgeExact(gate, value);
      const reason = "no stream was long enough, too few were, or not all records were kept, to show it";
      return withoutFigure(gate, "inconclusive", reason);
    }
    case "limits": {
      const value = source.limits(figure.name);
      if (value !== null) return judgeExact(gate, value);
      return withoutFigure(gate, "untested", "no limit check found in this traffic what it needs to judge");
    }
    default:
      return figure satisfies never;
  }
}

function noData(gate: Gate, endpoint: EndpointId | null): GateResult {
  const where = endpoint === null ? "" : ` of ${endpoint}`;
  return withoutFigure(gate, "inconclusive", `no request${where} gave this figure`);
}

function withoutFigure(gate: Gate, verdict: "inconclusive" | "untested", reason: string): GateResult {
  return verdictOf(gate, null, null, null, verdict, reason, "no-figure");
}

function judgeExact(gate: Gate, value: number): GateResult {
  const met = compare(value, gate.operator, gate.bound);
  return verdictOf(gate, value, null, null, met ? "pass" : "fail", null);
}

/** `max` can only grow with more samples and `min` only shrink: what they say against a bound is certain at once, the rest is not. */
function judgeExtreme(gate: Gate, value: number, samples: number, which: "min" | "max"): GateResult {
  const needed = Math.max(0, extremeFloor - samples);
  const result = judgeExact(gate, value);
  const isFinal = gate.operator.startsWith(which === "max" ? ">" : "<") ? result.verdict === "pass" : result.verdict === "fail";
  if (needed === 0 || isFinal) return result;
  return {
    ...result,
    margin: null,
    verdict: "inconclusive",
    reason: `too few samples: ${needed} more are needed before an extreme may meet a bound`,
    doubt: "too-few",
  };
}

function judgeInterval(gate: Gate, estimate: RateEstimate): GateResult {
  const { value, low, high } = estimate;
  const upper = gate.operator === "<" || gate.operator === "<=";
  const lower = gate.operator === ">" || gate.operator === ">=";
  if (!upper && !lower) {
    return value === null ? tooFew(gate, estimate) : judgeExact(gate, value);
  }
  // The end that has to meet the bound, and the end that must miss it before the gate fails.
  const hardest = upper ? high : low;
  const easiest = upper ? low : high;
  if (easiest !== null && !compare(easiest, gate.operator, gate.bound))
    return verdictOf(gate, value ?? easiest, low, high, "fail", null);
  if (hardest !== null && value !== null && compare(hardest, gate.operator, gate.bound)) {
    return verdictOf(gate, value, low, high, "pass", null);
  }
  return tooFew(gate, estimate);
}

function tooFew(gate: Gate, { value, low, high, needed }: RateEstimate): GateResult {
  const reason =
    needed > 0
      ? `too few samples: ${needed} more are needed before this figure can be reported`
      : "too few samples: the 95 % interval holds the bound";
  return verdictOf(gate, value, low, high, "inconclusive", reason, "too-few");
}

function compare(value: number, operator: GateOperator, bound: number): boolean {
  switch (operator) {
    case "<":
      return value < bound;
    case "<=":
      return value <= bound;
    case ">":
      return value > bound;
    case ">=":
      return value >= bound;
    case "==":
      return value === bound;
    case "!=":
      return value !== bound;
    default:
      return operator satisfies never;
  }
}

function verdictOf(
  gate: Gate,
  observed: number | null,
  low: number | null,
  high: number | null,
  verdict: GateResult["verdict"],
  reason: string | null,
  doubt?: GateDoubt,
): GateResult {
  return {
    id: gate.id,
    expression: gate.expression,
    bound: gate.bound,
    unit: gate.unit,
    observed,
    low,
    high,
    margin: observed === null ? null : marginOf(gate, observed),
    verdict,
    reason,
    kind: gate.figure.kind,
    ...(doubt === undefined ? {} : { doubt }),
  };
}

/** Distance to the bound as a fraction of it, positive when met; null for equalities and bounds of 0. */
function marginOf(gate: Gate, observed: number): number | null {
  if (gate.bound === 0 || gate.operator === "==" || gate.operator === "!=") return null;
  const sign = gate.operator === "<" || gate.operator === "<=" ? 1 : -1;
  return (sign * (gate.bound - observed)) / Math.abs(gate.bound);
}
