import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import type { Result } from "../../../core/result/result.ts";
import type { ToolReport } from "./foreign-report.ts";
import { readAiperf } from "./read-aiperf.ts";
import { readAssay } from "./read-assay.ts";
import { readGuidellm } from "./read-guidellm.ts";
import { readInferencePerf } from "./read-inference-perf.ts";
import { readK6Results } from "./read-k6-results.ts";
import { readK6 } from "./read-k6.ts";
import { readVllm } from "./read-vllm.ts";

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
