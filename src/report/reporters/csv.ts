import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { csvRow } from "../escape/csv.ts";

const head = ["run", "profile", "metric", "endpoint", "outcome", "phase", "statistic", "value", "low", "high", "unit", "samples"];

/** Metrics of load, one figure a row (RFC 4180, with header). Percentiles below the sample floor have an empty value. */
export function renderCsv(result: Result): string {
  const rows = (result.load?.profiles ?? []).flatMap((profile) => [
    ...rateRows(result.runId, profile),
    ...profile.distributions.flatMap((distribution) => distributionRows(result.runId, profile.id, distribution)),
  ]);
  return csvRow(head) + rows.map(csvRow).join("");
}

type Row = readonly (string | number | null)[];

function rateRows(run: string, profile: LoadProfileResult): readonly Row[] {
  const row = (metric: string, statistic: string, value: number | null, unit: string): Row => [
    run,
    profile.id,
    metric,
    null,
    null,
    "whole",
    statistic,
    value,
    null,
    null,
    unit,
    profile.counts.sent,
  ];
  return [
    ...Object.entries(profile.rates).map(([name, value]) =>
      row(name, "rate", value, name === "outputTokens" ? "tokens/s" : "/s"),
    ),
    ...Object.entries(profile.outcomes).map(([name, value]) => row(name, "count", value, "requests")),
    ...Object.entries(profile.notSent ?? {}).map(([reason, value]) => row(`not-sent ${reason}`, "count", value, "requests")),
    row("good", "fraction", profile.goodFraction, ""),
  ];
}

function distributionRows(run: string, profile: string, distribution: LoadDistribution): readonly Row[] {
  const { metric, endpoint, outcome, phase, unit, count } = distribution;
  const row = (statistic: string, value: number | null, low: number | null = null, high: number | null = null): Row => [
    run,
    profile,
    metric,
    endpoint,
    outcome,
    phase,
    statistic,
    value,
    low,
    high,
    unit,
    count,
  ];
  return [
    row("min", distribution.min),
    row("mean", distribution.mean),
    ...distribution.percentiles.map((estimate) => row(`p${estimate.percentile}`, estimate.value, estimate.low, estimate.high)),
    row("max", distribution.max),
  ];
}
