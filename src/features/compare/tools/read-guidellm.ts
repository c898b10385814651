import { createFigureList, fractionOf } from "./figure-list.ts";
import type { Statistic, ToolReport } from "./foreign-report.ts";
import { readMember, readNumber, readText } from "./read-number.ts";

const statistics: readonly (readonly [Statistic, readonly string[]])[] = [
  ["mean", ["mean"]],
  ["p50", ["percentiles", "p50"]],
  ["p90", ["percentiles", "p90"]],
  ["p95", ["percentiles", "p95"]],
  ["p99", ["percentiles", "p99"]],
];

/** `benchmarks.json` of GuideLLM: one report for each of its benchmarks; null when the file is none. */
export function readGuidellm(file: unknown): readonly ToolReport[] | null {
  const benchmarks = readMember(file, "benchmarks");
  if (
    !Array.isArray(benchmarks) ||
    benchmarks.length === 0 ||
    readMember(benchmarks[0], "metrics", "request_totals") === undefined
  )
    return null;
  const version = readText(file, "metadata", "guidellm_version");
  return benchmarks.map((benchmark: unknown) => readBenchmark(benchmark, version));
}

function readBenchmark(benchmark: unknown, version: string | null): ToolReport {
  const { add, refuse, report } = createFigureList();
  const metric = (name: string, ...path: readonly string[]): number | null =>
    readNumber(benchmark, "metrics", name, "successful", ...path);
  for (const [statistic, path] of statistics) {
    const source = path.join(".");
    add("first-token", statistic, `time_to_first_token_ms.successful.${source}`, metric("time_to_first_token_ms", ...path));
    const seconds = metric("request_latency", ...path);
    add(
      "request-latency",
      statistic,
      `request_latency.successful.${source}`,
      seconds === null ? null : seconds * 1000,
      "ends with the end of the stream",
    );
  }
  const has = (name: string): boolean => readMember(benchmark, "metrics", name) !== undefined;
  refuse(
    "inter_token_latency_ms",
    has("inter_token_latency_ms"),
    "each request is weighted by its tokens: long answers weigh more",
  );
  refuse("time_per_output_token_ms", has("time_per_output_token_ms"), "it includes the time to the first token");
  refuse(
    "output_tokens_per_second",
    has("output_tokens_per_second"),
    "a distribution of rates between events, not tokens over the time of the run",
  );
  refuse(
    "requests_per_second",
    has("requests_per_second"),
    "a distribution of rates between answers; successes over the duration are taken instead",
  );
  const totals = (status: string): number | null => readNumber(benchmark, "metrics", "request_totals", status);
  const [succeeded, duration] = [totals("successful"), readNumber(benchmark, "duration")];
  add(
    "ok-per-second",
    "rate",
    "request_totals.successful / duration",
    succeeded === null || duration === null || duration <= 0 ? null : succeeded / duration,
  );
  add("failed-fraction", "fraction", "request_totals.errored", fractionOf(totals("errored"), succeeded));
  const strategy = readText(benchmark, "config", "strategy", "type_") ?? readText(benchmark, "args", "strategy", "type_");
  const rate = readNumber(benchmark, "config", "strategy", "rate") ?? readNumber(benchmark, "args", "strategy", "rate");
  const incomplete = totals("incomplete") ?? 0;
  return report(
    "GuideLLM",
    version,
    `${strategy ?? "unknown strategy"}${rate === null ? "" : ` ${rate}/s`}, ${succeeded ?? "?"} answers${incomplete > 0 ? `, ${incomplete} incomplete (left out)` : ""}`,
  );
}
