import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { ObservationId } from "../samples/observation-ids.ts";
import type { SampleSet } from "../samples/sample-set.ts";
import type { Estimate } from "../statistics/estimate.ts";
import { estimateMean } from "../statistics/mean-interval.ts";
import { estimatePercentile, sampleFloor } from "../statistics/percentile-estimate.ts";
import { estimateShare, type Share } from "../statistics/share-interval.ts";
import type { FigureRange } from "./compare-with-bound.ts";
import type { Gate, GateFigure } from "./gate.ts";

/** Figures of the measured window that gates may ask for. */
export interface GateSource {
  /** Endpoints of the workload. */
  readonly endpoints: readonly EndpointId[];
  /** Samples of successes; null when the endpoint has none of this metric. */
  samples(metric: LoadMetric, endpoint: EndpointId): SampleSet | null;
  /** Requests that have the property, out of those that could have had it; endpoint null is the whole profile. */
  fraction(name: Extract<GateFigure, { kind: "fraction" }>["name"], endpoint: EndpointId | null): Share;
  /** Per second with its 95 % interval; a value of null: too few requests. Null: nothing of the kind. */
  rate(name: Extract<GateFigure, { kind: "rate" }>["name"], endpoint: EndpointId | null): Estimate | null;
  count(name: Extract<GateFigure, { kind: "count" }>["name"], endpoint: EndpointId | null): number;
  /** Those of the errors that no generator can cause. */
  certainErrors(endpoint: EndpointId | null): number;
  /** null: nothing was seen that could have shown it. */
  observation(id: ObservationId): number | null;
  /** null until the limit judges have spoken. */
  limits(name: keyof LimitFigures): number | null;
}

/** A figure as it is reported, and where it lies. */
export interface Reading extends Omit<Estimate, "bounds"> {
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
      const share = source.fraction(figure.name, endpoint);
      if (share.whole === 0) return noRequest(endpoint);
      const reading = shareOf(gate, share);
      if (figure.name !== "error_rate") return reading;
      return { ...reading, certain: shareOf(gate, { ...share, part: source.certainErrors(endpoint) }).range };
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

/** Bounds that are no interval are shown too: they are what decides. */
function estimated({ bounds, ...estimate }: Estimate): Reading {
  const { low, high } = estimate;
  return { ...estimate, low: low ?? finite(bounds.least), high: high ?? finite(bounds.most), range: bounds };
}

function finite(value: number): number | null {
  return Number.isFinite(value) ? value : null;
}

/** `max` can only grow with more samples and `min` only shrink: one end is certain at once, the other is not. */
function extreme(which: "min" | "max", value: number, samples: number): Reading {
  const needed = Math.max(0, extremeFloor - samples);
  const open = needed > 0 ? Infinity : 0;
  const range = which === "max" ? { least: value, most: value + open } : { least: value - open, most: value };
  return { ...exact(value), needed, range };
}

function shareOf({ bound, operator }: Gate, share: Share): Reading {
  // No sample proves that there is never any, or always: that is judged as an extreme.
  const which = bound === 0 ? "max" : bound === 1 ? "min" : null;
  const isExtreme = ["==", bound === 0 ? "<=" : ">="].includes(operator);
  if (which !== null && isExtreme) return extreme(which, share.part / share.whole, share.whole);
  return estimated(estimateShare(share));
}
