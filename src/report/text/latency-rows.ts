import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LoadDistribution, LoadMetric } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";

export interface LatencyRow {
  readonly endpoint: EndpointId;
  readonly name: string;
  readonly count: number;
  /** At `latencyPercentiles`. */
  readonly figures: readonly LatencyFigure[];
}

export interface LatencyFigure {
  /** Milliseconds; null below the sample floor. */
  readonly value: number | null;
  /** It is this much or more: it lies among requests that were given up. */
  readonly isLeast: boolean;
}

/** The three latencies that are never mixed, then those of streams. */
const shownMetrics: readonly (readonly [LoadMetric, string])[] = [
  ["user-latency", "user latency"],
  ["service-latency", "service latency"],
  ["dispatch-delay", "dispatch delay"],
  ["ttft", "time to first token"],
  ["tpot", "time per output token"],
];

/** Percentiles that gates name most: the middle and two tails. */
export const latencyPercentiles: readonly number[] = [50, 95, 99];

/** Latencies of successes over the whole window, by endpoint. */
export function latencyRows({ distributions }: LoadProfileResult): readonly LatencyRow[] {
  const whole = distributions.filter((each) => each.phase === "whole" && each.outcome === "ok");
  const endpoints = [...new Set(whole.map(({ endpoint }) => endpoint))];
  return endpoints.flatMap((endpoint) =>
    shownMetrics.flatMap(([metric, name]) => {
      const found = whole.find((each) => each.endpoint === endpoint && each.metric === metric);
      return found === undefined ? [] : [rowOf(found, found.estimated ? `${name}, estimated` : name)];
    }),
  );
}

/** `96 ok, 3 rate-limited`; nothing where nothing was sent. */
export function outcomeWords({ outcomes }: LoadProfileResult): string {
  return Object.entries(outcomes)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`)
    .join(", ");
}

/** Why a profile has no rows. */
export function noLatencyWords({ outcomes }: LoadProfileResult): string {
  return (outcomes.ok ?? 0) > 0 ? "no latency was kept" : "no request succeeded: there is no latency to report";
}

function rowOf({ endpoint, count, percentiles }: LoadDistribution, name: string): LatencyRow {
  const figures = latencyPercentiles.map((wanted) => {
    const found = percentiles.find(({ percentile }) => percentile === wanted);
    const value = found?.value ?? found?.atLeast ?? null;
    return { value, isLeast: value !== null && found?.value === null };
  });
  return { endpoint, name, count, figures };
}
