import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import type { Result } from "../../../core/result/result.ts";
import type { ToolReport, Meaning, Statistic } from "./foreign-report.ts";
import { readAiperf } from "./read-aiperf.ts";
import { readGuidellm } from "./read-guidellm.ts";
import { readMember, readNumber, readText } from "./read-number.ts";
import { createFigureList, fractionOf } from "./figure-list.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";

/** The statistics of a report, each with the name that vLLM bench and inference-perf give it. */
const namedStatistics: readonly (readonly [Statistic, string])[] = [
  ["mean", "mean"],
  ["p50", "median"],
  ["p90", "p90"],
  ["p95", "p95"],
  ["p99", "p99"],
];

const statistics: readonly (readonly [Statistic, string])[] = [
  ["mean", "avg"],
  ["p50", "med"],
  ["p90", "p(90)"],
  ["p95", "p(95)"],
  ["p99", "p(99)"],
];
const successes = "http_req_duration{expected_response:true}";

/** The summary of k6: `--summary-export`, or `data` of handleSummary as JSON; null when the file is none. */
function readK6(file: unknown): ToolReport | null {
  const metrics = readMember(file, "metrics");
  if (!isJsonObject(metrics) || !("http_reqs" in metrics)) return null;
  const { add, refuse, report } = createFigureList();
  // handleSummary puts the figures of a metric into `values`, --summary-export beside each other.
  const figure = (metric: string, name: string): number | null =>
    readNumber(metrics, metric, "values", name) ?? readNumber(metrics, metric, name);
  const failed = figure("http_req_failed", "rate") ?? figure("http_req_failed", "value");
  const source = successes in metrics ? successes : "http_req_duration";
  if (source === successes || failed === 0) {
    for (const [statistic, name] of statistics) {
      add(
        "request-latency",
        statistic,
        `${source}.${name}`,
        figure(source, name),
        "without the time to connect; ends with the last byte",
      );
    }
  } else {
    refuse(
      "http_req_duration",
      source in metrics,
      "failed requests are mixed in: a threshold on http_req_duration{expected_response:true} has k6 keep successes apart",
    );
  }
  refuse("http_req_waiting", "http_req_waiting" in metrics, "it ends with the first byte of the head, not with a token");
  refuse("iteration_duration", "iteration_duration" in metrics, "it includes what the script does beside requests");
  add("sent-per-second", "rate", "http_reqs.rate", figure("http_reqs", "rate"), "over the time of the run, ramps included");
  add("failed-fraction", "fraction", "http_req_failed", failed);
  return report(
    "k6",
    null,
    `${figure("http_reqs", "count") ?? "?"} requests, at most ${figure("vus_max", "max") ?? figure("vus_max", "value") ?? "?"} virtual users`,
  );
}

const distributions: readonly (readonly [metric: string, Meaning])[] = [
  ["ttft", "first-token"],
  ["ttfe", "first-event"],
  ["tpot", "time-per-token"],
  ["service-latency", "request-latency"],
];
const percentiles: readonly (readonly [number, Statistic])[] = [
  [50, "p50"],
  [90, "p90"],
  [95, "p95"],
  [99, "p99"],
];

/** Each profile of a run of assay, in the terms that other tools share; figures are those of chat completions. */
function readAssay(result: Result): readonly { readonly id: string; readonly report: ToolReport }[] {
  return (result.load?.profiles ?? []).map((profile) => ({ id: profile.id, report: readProfile(profile, result.tool.version) }));
}

function readProfile(profile: LoadProfileResult, version: string): ToolReport {
  const { add, refuse, report } = createFigureList();
  for (const [metric, meaning] of distributions) {
    const found = profile.distributions.find(
      (each) => each.metric === metric && each.endpoint === "chat" && each.outcome === "ok" && each.phase === "whole",
    );
    if (found === undefined) continue;
    const caveat = found.estimated ? "tokens were counted by chunks" : null;
    add(meaning, "mean", `${metric}.mean`, found.mean, caveat);
    for (const [percentile, statistic] of percentiles) {
      const value = found.percentiles.find((each) => each.percentile === percentile)?.value ?? null;
      add(meaning, statistic, `${metric}.${statistic}`, value, caveat);
    }
  }
  refuse("user-latency", true, "it counts from when a request was due; other tools count from when it was sent");
  refuse("inter-chunk", true, "chunks of one network read are one arrival; other tools count them apart");
  const { outcomes, rates } = profile;
  const ended = Object.entries(outcomes).filter(([outcome]) => outcome !== "not-sent" && outcome !== "interrupted");
  const all = ended.reduce((sum, [, count]) => sum + count, 0);
  const succeeded = outcomes.ok ?? 0;
  add("ok-per-second", "rate", "rates.ok", rates.ok, "over the measured time, warm-up left out");
  add("sent-per-second", "rate", "rates.achieved", rates.achieved, "over the measured time, warm-up left out");
  add("output-tokens-per-second", "rate", "rates.outputTokens", rates.outputTokens, "over the measured time, warm-up left out");
  add("failed-fraction", "fraction", "outcomes", fractionOf(all - succeeded, succeeded));
  const validity = profile.validity.valid ? "" : `, not a valid measurement: ${profile.validity.reasons.join("; ")}`;
  return report("assay", version, `${profile.id}: ${profile.arrivals}, ${profile.workload}${validity}`);
}

/** Names of statistics as the older summary writes them. */
const renamed: Readonly<Record<string, string>> = { p90: "p(90)", p95: "p(95)", p99: "p(99)", matches: "passes" };

/** The summary of k6 since 1.8, a list of metrics below `results`, as the older form; null when the file is none. */
function readK6Results(file: unknown): ToolReport | null {
  const list = readMember(file, "results", "metrics");
  if (!Array.isArray(list)) return null;
  const durationSeconds = readNumber(file, "config", "duration");
  const metrics = list.filter(isJsonObject).flatMap((metric) => {
    const { name, values } = metric;
    if (typeof name !== "string" || !isJsonObject(values)) return [];
    const figures = Object.fromEntries(Object.entries(values).map(([key, value]) => [renamed[key] ?? key, value]));
    const count = readNumber(values, "count");
    // The newer form leaves rates of counters to its reader.
    const rate = count === null || durationSeconds === null || durationSeconds <= 0 ? {} : { rate: count / durationSeconds };
    return [[name, { ...rate, ...figures }] as const];
  });
  const report = readK6({ metrics: Object.fromEntries(metrics) });
  return report === null ? null : { ...report, version: readText(file, "metadata", "k6_version") };
}

/** The load tests in a file, each with the name by which one of several is chosen. */
export type NamedReports = readonly { readonly id: string; readonly report: ToolReport }[];

/** The reports in a JSON file: a result of assay, load tests of another tool, or null for neither. */
export function readToolReports(file: unknown): { readonly own: boolean; readonly reports: NamedReports } | null {
  if (isResult(file)) return { own: true, reports: readAssay(file) };
  const several = readGuidellm(file);
  if (several !== null) return { own: false, reports: several.map((report, index) => ({ id: String(index), report })) };
  const single = readVllm(file) ?? readAiperf(file) ?? readInferencePerf(file) ?? readK6Results(file) ?? readK6(file);
  return single === null ? null : { own: false, reports: [{ id: "0", report: single }] };
}

/** The reports of a file that holds several values, numbered through; null when one of them is nothing known. */
export function readAppendedReports(values: readonly unknown[]): ReturnType<typeof readToolReports> {
  const [first] = values;
  if (values.length === 1) return readToolReports(first);
  const all = values.map(readToolReports);
  if (all.some((read) => read === null || read.own)) return null;
  const reports = all.flatMap((read) => read?.reports ?? []);
  return { own: false, reports: reports.map(({ report }, index) => ({ id: String(index), report })) };
}

function isResult(file: unknown): file is Result {
  return isJsonObject(file) && file["schemaVersion"] === "1.0" && isJsonObject(file["tool"]) && file["tool"]["name"] === "assay";
}

/** `vllm bench serve --save-result` (vllm/benchmarks/serve.py); null when the file is none. */
function readVllm(file: unknown): ToolReport | null {
  const completed = readNumber(file, "completed");
  if (
    completed === null ||
    readNumber(file, "request_throughput") === null ||
    (readText(file, "endpoint_type") ?? readText(file, "backend")) === null
  ) {
    return null;
  }
  const { add, refuse, report } = createFigureList();
  for (const [statistic, name] of namedStatistics) {
    const at = (metric: string): number | null => readNumber(file, `${name}_${metric}_ms`);
    add("first-event", statistic, `${name}_ttft_ms`, at("ttft"));
    add("request-latency", statistic, `${name}_e2el_ms`, at("e2el"), "ends with the last chunk that has choices");
  }
  const has = (metric: string): boolean => namedStatistics.some(([, name]) => readNumber(file, `${name}_${metric}_ms`) !== null);
  refuse("ttft as time to first token", has("ttft"), "it ends with the first chunk even where that holds no content");
  refuse("tpot", has("tpot"), "it counts from the first chunk even where that holds no content");
  refuse("itl", has("itl"), "gaps between chunks: two chunks of one network read count as a gap of nothing");
  const over = "over the time until the last answer";
  add("ok-per-second", "rate", "request_throughput", readNumber(file, "request_throughput"), over);
  add("output-tokens-per-second", "rate", "output_throughput", readNumber(file, "output_throughput"), over);
  add("failed-fraction", "fraction", "failed", fractionOf(readNumber(file, "failed"), completed));
  const rate = readNumber(file, "request_rate") ?? readText(file, "request_rate");
  const load = `${rate ?? "unknown"} requests a second, concurrency ${readNumber(file, "max_concurrency") ?? "unbounded"}, ${readNumber(file, "num_prompts") ?? "?"} prompts, ${readText(file, "model_id") ?? "unknown model"}`;
  return report("vLLM bench", null, load);
}

/** A life cycle report of inference-perf, of a stage or of all; null when the file is none. Its times are seconds. */
function readInferencePerf(file: unknown): ToolReport | null {
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
