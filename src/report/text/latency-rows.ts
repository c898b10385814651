import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LoadDistribution, LoadMetric } from "../../core/result/load-figures.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { atLeastSign } from "./observed-words.ts";
import { formatMs } from "./format-number.ts";

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

const refusals: ReadonlySet<OutcomeClass> = new Set(["rate-limited", "burst-limited", "spend-capped"]);

/** `chat: service latency of 140 rate-limited p50 2 ms, p99 9 ms; of 96 served p50 23 ms, p99 80 ms`, by endpoint and kind of refusal. */
export function refusalWords({ distributions }: LoadProfileResult): readonly string[] {
  const whole = distributions.filter(({ phase, metric }) => phase === "whole" && metric === "service-latency");
  return whole
    .filter(({ outcome }) => refusals.has(outcome))
    .map((refused) => {
      const served = whole.find(({ endpoint, outcome }) => endpoint === refused.endpoint && outcome === "ok");
      const beside = served === undefined ? "" : `; of ${served.count} served ${middleAndTail(served)}`;
      return `${refused.endpoint}: service latency of ${refused.count} ${refused.outcome} ${middleAndTail(refused)}${beside}`;
    });
}

function middleAndTail(distribution: LoadDistribution): string {
  const [middle, , tail] = rowOf(distribution, "").figures;
  return [["p50", middle] as const, ["p99", tail] as const]
    .map(([name, figure]) => `${name} ${figure?.isLeast === true ? atLeastSign : ""}${formatMs(figure?.value)}`)
    .join(", ");
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
