import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { LoadProfileResult, RepeatFigure } from "../../core/result/load-result.ts";
import type { RunValue } from "./join-values.ts";

/** A figure of every run of a repeated profile; null: a run has none. */
export interface FigureOfRuns extends Pick<RepeatFigure, "name" | "unit"> {
  readonly values: readonly (RunValue | null)[];
}

const shown: readonly (readonly [LoadMetric, string, number])[] = [
  ["user-latency", "User latency", 50],
  ["user-latency", "User latency", 95],
  ["ttft", "Time to first token", 50],
  ["ttft", "Time to first token", 95],
  ["tpot", "Time per output token", 50],
];

/** Latencies and rates of the runs of a repeated profile, whatever its gates are. Those that no run could have are left out. */
export function figuresOfRuns(runs: readonly LoadProfileResult[]): readonly FigureOfRuns[] {
  return [...latenciesOf(runs), ...ratesOf(runs)].filter(({ values }) => values.length > 0);
}

function latenciesOf(runs: readonly LoadProfileResult[]): readonly FigureOfRuns[] {
  const endpoints = [...new Set(runs.flatMap(({ distributions }) => distributions.map(({ endpoint }) => endpoint)))];
  return endpoints.flatMap((endpoint) =>
    shown.map(([metric, name, percentile]): FigureOfRuns => {
      const estimates = runs.map((run) => {
        const found = run.distributions.find(
          (each) => each.metric === metric && each.endpoint === endpoint && each.outcome === "ok" && each.phase === "whole",
        );
        return found?.percentiles.find((each) => each.percentile === percentile);
      });
      // A percentile that no run has the samples for is no figure of theirs; one that requests without an answer hide is.
      const isPossible = estimates.some((estimate) => estimate?.needed === 0);
      const values = estimates.map((estimate) =>
        estimate?.value == null ? null : { value: estimate.value, low: estimate.low, high: estimate.high },
      );
      return { name: `${name} p${percentile}, ${endpoint}`, unit: "ms", values: isPossible ? values : [] };
    }),
  );
}

function ratesOf(runs: readonly LoadProfileResult[]): readonly FigureOfRuns[] {
  const exact = (value: number | null): RunValue | null => (value === null ? null : { value, low: null, high: null });
  const tokens = runs.map(({ rates }) => exact(rates.outputTokens));
  return [
    { name: "Successful answers", unit: "/s", values: runs.map(({ rates }) => exact(rates.ok)) },
    { name: "Output tokens", unit: "/s", values: tokens.some((value) => value !== null) ? tokens : [] },
  ];
}
