import { createFigureList, fractionOf } from "./figure-list.ts";
import type { Statistic, ToolReport } from "./foreign-report.ts";
import { readMember, readNumber, readText } from "./read-number.ts";

const statistics: readonly (readonly [Statistic, string])[] = [
  ["mean", "avg"],
  ["p50", "p50"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
];

/** `profile_export_aiperf.json` of AIPerf, which also GenAI-Perf's form follows; null when the file is none. */
export function readAiperf(file: unknown): ToolReport | null {
  if (readText(file, "request_latency", "unit") === null || readMember(file, "input_config") === undefined) return null;
  const { add, refuse, report } = createFigureList();
  // Before form 1.4 the divisor was the tokens less one, whatever the first event held.
  const perToken = Number(readText(file, "schema_version") ?? "0") >= 1.4 ? null : "may count one token in the first event";
  const milliseconds = (metric: string, name: string): number | null =>
    readText(file, metric, "unit") === "ms" ? readNumber(file, metric, name) : null;
  for (const [statistic, name] of statistics) {
    add("first-token", statistic, `time_to_first_token.${name}`, milliseconds("time_to_first_token", name));
    add("time-per-token", statistic, `inter_token_latency.${name}`, milliseconds("inter_token_latency", name), perToken);
    add(
      "request-latency",
      statistic,
      `request_latency.${name}`,
      milliseconds("request_latency", name),
      "ends with the last response that could be parsed",
    );
  }
  const has = (metric: string): boolean => readMember(file, metric) !== undefined;
  refuse("inter_chunk_latency", has("inter_chunk_latency"), "gaps of all requests in one list: long answers weigh more");
  refuse("time_to_second_token", has("time_to_second_token"), "no other tool states it");
  refuse(
    "output_token_throughput_per_user",
    has("output_token_throughput_per_user"),
    "the inverse of a time for each token, not a rate of the run",
  );
  refuse("goodput", has("goodput"), "its service level is that of the run");
  add("ok-per-second", "rate", "request_throughput.avg", readNumber(file, "request_throughput", "avg"));
  add(
    "output-tokens-per-second",
    "rate",
    "output_token_throughput.avg",
    readNumber(file, "output_token_throughput", "avg"),
    "counted by its own tokenizer unless it was configured to use usage",
  );
  const failed = readNumber(file, "error_request_count", "avg") ?? 0;
  add("failed-fraction", "fraction", "error_request_count.avg", fractionOf(failed, readNumber(file, "request_count", "avg")));
  const phase = measuredPhase(file);
  const rate = readNumber(file, "input_config", "loadgen", "request_rate") ?? readNumber(phase, "rate");
  const concurrency = readNumber(file, "input_config", "loadgen", "concurrency") ?? readNumber(phase, "concurrency");
  const cancelled = readMember(file, "was_cancelled") === true ? ", cancelled before its end" : "";
  const incomplete = readMember(file, "is_complete") === false ? ", not complete" : "";
  return report(
    "AIPerf",
    readText(file, "aiperf_version"),
    `${rate === null ? "no" : rate} request rate, concurrency ${concurrency ?? "unknown"}${cancelled}${incomplete}`,
  );
}

/** The phase that is measured, as version 0.13 lists it beside that of warming up. */
function measuredPhase(file: unknown): unknown {
  const phases = readMember(file, "input_config", "phases");
  return Array.isArray(phases) ? phases.find((phase: unknown) => readText(phase, "kind") === "profiling") : undefined;
}
