import { isJsonObject } from "../../../core/exchange/bodies/recorded-json.ts";
import type { Result } from "../../../core/result/result.ts";
import type { ToolReport } from "./foreign-report.ts";
import { readAiperf } from "./read-aiperf.ts";
import { readAssay } from "./read-assay.ts";
import { readGuidellm } from "./read-guidellm.ts";
import { readK6 } from "./read-k6.ts";
import { readVllm } from "./read-vllm.ts";

/** The load tests in a file, each with the name by which one of several is chosen. */
export type NamedReports = readonly { readonly id: string; readonly report: ToolReport }[];

/** The reports in a JSON file: a result of assay, load tests of another tool, or null for neither. */
export function readToolReports(file: unknown): { readonly own: boolean; readonly reports: NamedReports } | null {
  if (isResult(file)) return { own: true, reports: readAssay(file) };
  const several = readGuidellm(file);
  if (several !== null) return { own: false, reports: several.map((report, index) => ({ id: String(index), report })) };
  const single = readVllm(file) ?? readAiperf(file) ?? readK6(file);
  return single === null ? null : { own: false, reports: [{ id: "0", report: single }] };
}

function isResult(file: unknown): file is Result {
  return isJsonObject(file) && file["schemaVersion"] === "1.0" && isJsonObject(file["tool"]) && file["tool"]["name"] === "assay";
}
