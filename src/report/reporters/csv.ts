import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { Result } from "../../core/result/result.ts";
import { csvRow } from "../escape/csv.ts";

const head = ["run", "profile", "metric", "endpoint", "outcome", "phase", "statistic", "value", "low", "high", "unit", "samples"];

type Cell = string | number | null;
type Row = Readonly<Record<string, Cell>>;

/** Metrics of load, one figure a row (RFC 4180, with header). Percentiles below the sample floor have an empty value. */
export function renderCsv(result: Result): string {
  const rows = (result.load?.profiles ?? []).flatMap((profile) =>
    [...rateRows(profile), ...profile.distributions.flatMap(distributionRows)].map((row): Row => ({
      run: result.runId,
      profile: profile.id,
      ...row,
    })),
  );
  return csvRow(head) + rows.map((row) => csvRow(head.map((name) => row[name] ?? null))).join("");
}

function rateRows(profile: LoadProfileResult): readonly Row[] {
  const row = (metric: string, statistic: string, value: number | null, unit: string): Row => {
    return { metric, phase: "whole", statistic, value, unit, samples: profile.counts.sent };
  };
  return [
    ...Object.entries(profile.rates).map(([name, value]) =>
      row(name, "rate", value, name === "outputTokens" ? "tokens/s" : "/s"),
    ),
    ...Object.entries(profile.outcomes).map(([name, value]) => row(name, "count", value, "requests")),
    ...Object.entries(profile.notSent ?? {}).map(([reason, value]) => row(`not-sent ${reason}`, "count", value, "requests")),
    row("good", "fraction", profile.goodFraction, ""),
  ];
}

function distributionRows({ metric, endpoint, outcome, phase, unit, count, ...figures }: LoadDistribution): readonly Row[] {
  const row = (statistic: string, value: number | null, bounds: Row = {}): Row => {
    return { metric, endpoint, outcome, phase, statistic, value, ...bounds, unit, samples: count };
  };
  return [
    row("min", figures.min),
    row("mean", figures.mean),
    ...figures.percentiles.map(({ percentile, value, low, high }) => row(`p${percentile}`, value, { low, high })),
    row("max", figures.max),
  ];
}
