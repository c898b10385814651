import type { Result } from "../../core/result/result.ts";
import { hasScopeSection } from "./scope-section.ts";
import type { SideEntry } from "./side.ts";

/** Sections that the report of this run has, in reading order. */
export function listSections(result: Result, hasEvidence: boolean, isCertified: boolean): readonly SideEntry[] {
  const { findings, load, conformance, limits } = result;
  const failures = findings.filter((finding) => finding.verdict === "fail" && !finding.baselined).length;
  const gates = load?.profiles.some((profile) => profile.gates.length > 0) === true;
  const entries: readonly (SideEntry & { readonly present?: boolean })[] = [
    { id: "verdict", title: "Verdict" },
    { id: "certificate", title: "Certificate", present: isCertified },
    { id: "health", title: "Measurement health" },
    { id: "findings", title: "Findings", failures },
    { id: "scope", title: "To complete this verdict", present: hasScopeSection(result) },
    { id: "gates", title: "Gates", present: gates },
    { id: "conformance", title: "Conformance", present: conformance !== null },
    { id: "limits", title: "Limits", present: limits !== null },
    { id: "load", title: "Latency and streaming", present: load !== null },
    { id: "passive", title: "Passive checks" },
    { id: "evidence", title: "Evidence", present: hasEvidence },
    { id: "method", title: "Method" },
  ];
  return entries.filter(({ present = true }) => present);
}
