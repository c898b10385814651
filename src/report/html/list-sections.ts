import type { Result } from "../../core/result/result.ts";
import type { SideEntry } from "./side.ts";

/** Sections that the report of this run has, in reading order. */
export function listSections({ findings, load, conformance, limits }: Result, hasEvidence: boolean): readonly SideEntry[] {
  const failures = findings.filter((finding) => finding.verdict === "fail" && !finding.baselined).length;
  const gates = load?.profiles.some((profile) => profile.gates.length > 0) === true;
  const entries: readonly (SideEntry & { readonly present?: boolean })[] = [
    { id: "verdict", title: "Verdict" },
    { id: "health", title: "Measurement health" },
    { id: "findings", title: "Findings", failures },
    { id: "gates", title: "Gates", present: gates },
    { id: "conformance", title: "Conformance", present: conformance !== null },
    { id: "limits", title: "Limits", present: limits !== null },
    { id: "load", title: "Latency and streaming", present: load !== null },
    { id: "passive", title: "Every response" },
    { id: "evidence", title: "Evidence", present: hasEvidence },
    { id: "method", title: "Method" },
  ];
  return entries.filter(({ present = true }) => present);
}
