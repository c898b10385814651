import { createFigureList, fractionOf } from "./figure-list.ts";
import type { ToolReport } from "./foreign-report.ts";
import { namedStatistics } from "./named-statistics.ts";
import { readMember, readNumber } from "./read-number.ts";

/** A life cycle report of inference-perf, of a stage or of all; null when the file is none. Its times are seconds. */
export function readInferencePerf(file: unknown): ToolReport | null {
  const succeeded = readNumber(file, "successes", "count");
  if (succeeded === null || readMember(file, "load_summary") === undefined || readMember(file, "failures") === undefined)
    return null;
  const { add, refuse, report } = createFigureList();
  const milliseconds = (metric: string, name: string): number | null => {
    const seconds = readNumber(file, "successes", "latency", metric, name);
    return seconds === null ? null : 1000 * seconds;
  };
  for (const [statistic, name] of namedStatistics) {
    const source = (metric: string): string => `successes.latency.${metric}.${name}`;
    const ttft = milliseconds("time_to_first_token", name);
    add("first-token", statistic, source("time_to_first_token"), ttft, "reasoning counts in newer versions only");
    const latency = milliseconds("request_latency", name);
    add("request-latency", statistic, source("request_latency"), latency, "ends with the end of the stream");
  }
  const has = (metric: string): boolean => readMember(file, "successes", "latency", metric) !== undefined;
  refuse("time_per_output_token", has("time_per_output_token"), "its versions count tokens by chunks or by a tokenizer");
  refuse("normalized_time_per_output_token", has("normalized_time_per_output_token"), "it includes the time to the first token");
  refuse("inter_token_latency", has("inter_token_latency"), "gaps between chunks, those of one network read counted apart");
  refuse(
    "schedule_delay",
    readMember(file, "load_summary", "schedule_delay") !== undefined,
    "it is about the client, not the target",
  );
  const throughput = (name: string): number | null => readNumber(file, "successes", "throughput", name);
  const over = "over the time from the first request to the last answer";
  add("ok-per-second", "rate", "successes.throughput.requests_per_sec", throughput("requests_per_sec"), over);
  const tokens = throughput("output_tokens_per_sec");
  add("output-tokens-per-second", "rate", "successes.throughput.output_tokens_per_sec", tokens, "counted by its own tokenizer");
  add("failed-fraction", "fraction", "failures.count", fractionOf(readNumber(file, "failures", "count"), succeeded));
  const rate = readNumber(file, "load_summary", "requested_rate");
  const count = readNumber(file, "load_summary", "count") ?? "?";
  return report("inference-perf", null, `${count} requests${rate === null ? "" : ` at ${rate}/s`}`);
}
