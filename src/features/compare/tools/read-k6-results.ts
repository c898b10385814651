import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import { readK6 } from "./read-k6.ts";
import type { ToolReport } from "./foreign-report.ts";
import { readMember, readNumber, readText } from "./read-number.ts";

/** Names of statistics as the older summary writes them. */
const renamed: Readonly<Record<string, string>> = { p90: "p(90)", p95: "p(95)", p99: "p(99)", matches: "passes" };

/** The summary of k6 since 1.8, a list of metrics below `results`, as the older form; null when the file is none. */
export function readK6Results(file: unknown): ToolReport | null {
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
