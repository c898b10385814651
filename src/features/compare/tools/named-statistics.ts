import type { Statistic } from "./foreign-report.ts";

/** The statistics of a report, each with the name that vLLM bench and inference-perf give it. */
export const namedStatistics: readonly (readonly [Statistic, string])[] = [
  ["mean", "mean"],
  ["p50", "median"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
];
