import { createFigureList, fractionOf } from "./figure-list.ts";
import type { ToolReport } from "./foreign-report.ts";
import { namedStatistics } from "./named-statistics.ts";
import { readNumber, readText } from "./read-number.ts";

/** `vllm bench serve --save-result` (vllm/benchmarks/serve.py); null when the file is none. */
export function readVllm(file: unknown): ToolReport | null {
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
