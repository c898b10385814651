import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadMetric, PercentileEstimate } from "../../core/result/load-figures.ts";
import type { ObservationId } from "../samples/observation-ids.ts";
import type { SampleSet } from "../samples/sample-set.ts";
import { proportionInterval } from "../statistics/binomial.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import { estimatePercentile, sampleFloor } from "../statistics/percentile-estimate.ts";
import type { FigureRange } from "./compare-with-bound.ts";
import type { Gate, GateFigure } from "./gate.ts";

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
  /** Those of the errors that no generator can cause. */
  certainErrors(endpoint: EndpointId | null): number;
  /** null: nothing was seen that could have shown it. */
  observation(id: ObservationId): number | null;
  /** null until the limit judges have spoken. */
  limits(name: keyof LimitFigures): number | null;
}

export type RateEstimate = Omit<PercentileEstimate, "percentile">;

/** A figure as it is reported, and where it lies. */
export interface Reading extends RateEstimate {
  readonly range: FigureRange;
  /** The range of a figure of errors by those errors alone that no generator can cause. */
  readonly certain?: FigureRange;
}

export interface NoReading {
  readonly verdict: "inconclusive" | "untested";
  readonly reason: string;
}

/**
 * Samples from which on an extreme (`max`, `min`, a share of none or of all) may meet a bound: as many as bound the 95th
 * percentile too. One that breaks the bound is enough.
 */
const extremeFloor = sampleFloor(95);

/** The figure of a gate, of one endpoint or of the whole profile. */
export function readFigure(gate: Gate, source: GateSource, endpoint: EndpointId | null): Reading | NoReading {
  const { figure } = gate;
  switch (figure.kind) {
    case "percentile":
    case "moment": {
      const samples = endpoint === null ? null : source.samples(figure.metric, endpoint);
      if (samples === null || samples.count === 0) return noRequest(endpoint);
      if (figure.kind === "percentile") return estimated(estimatePercentile(samples, figure.percentile));
      if (figure.which === "mean") return estimated(estimateMean(samples));
      return extreme(figure.which, samples[figure.which]() ?? 0, samples.count);
    }
    case "fraction": {
      const [part, whole] = source.fraction(figure.name, endpoint);
      if (whole === 0) return noRequest(endpoint);
      const share = shareOf(gate, part, whole);
      if (figure.name !== "error_rate") return share;
      return { ...share, certain: shareOf(gate, source.certainErrors(endpoint), whole).range };
    }
    case "rate": {
      const rate = source.rate(figure.name, endpoint);
      return rate === null ? noRequest(endpoint) : estimated(rate);
    }
    case "count": {
      const count = exact(source.count(figure.name, endpoint));
      return figure.name === "errors" ? { ...count, certain: exact(source.certainErrors(endpoint)).range } : count;
    }
    case "observation": {
      const value = source.observation(figure.id);
      if (value !== null) return exact(value);
      const reason = "no stream was long enough, too few were, or not all records were kept, to show it";
      return { verdict: "inconclusive", reason };
    }
    case "limits": {
      const value = source.limits(figure.name);
      if (value !== null) return exact(value);
      return { verdict: "untested", reason: "no limit check found in this traffic what it needs to judge" };
    }
    default:
      return figure satisfies never;
  }
}

function noRequest(endpoint: EndpointId | null): NoReading {
  const where = endpoint === null ? "" : ` of ${endpoint}`;
  return { verdict: "inconclusive", reason: `no request${where} gave this figure` };
}

function exact(value: number): Reading {
  return { value, low: null, high: null, needed: 0, range: { least: value, most: value } };
}

function estimated(estimate: RateEstimate): Reading {
  return { ...estimate, range: { least: estimate.low ?? -Infinity, most: estimate.high ?? Infinity } };
}

/** `max` can only grow with more samples and `min` only shrink: one end is certain at once, the other is not. */
function extreme(which: "min" | "max", value: number, samples: number): Reading {
  const needed = Math.max(0, extremeFloor - samples);
  const open = needed > 0 ? Infinity : 0;
  const range = which === "max" ? { least: value, most: value + open } : { least: value - open, most: value };
  return { ...exact(value), needed, range };
}

function shareOf({ bound, operator }: Gate, part: number, whole: number): Reading {
  // No sample proves that there is never any, or always: that is judged as an extreme.
  const which = bound === 0 ? "max" : bound === 1 ? "min" : null;
  const isExtreme = ["==", bound === 0 ? "<=" : ">="].includes(operator);
  if (which !== null && isExtreme) return extreme(which, part / whole, whole);
  const [low, high] = proportionInterval(part, whole);
  return estimated({ value: part / whole, low, high, needed: 0 });
}
