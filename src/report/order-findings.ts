import type { Finding } from "../core/result/finding.ts";

/** Failures first, known ones after the new ones, advisories last; the run's own order within. */
export function orderFindings(findings: readonly Finding[]): readonly Finding[] {
  const rank = (finding: Finding): number => (finding.verdict === "fail" ? 0 : 2) + (finding.baselined ? 1 : 0);
  return [...findings].sort((a, b) => rank(a) - rank(b));
}
