import type { LimitCheckId } from "../core/result/checks/limit-check.ts";
import type { Finding } from "../core/result/finding.ts";

/**
 * Failures first, then limiters that no algorithm explains (often a defect that one exam cannot name), advisories last; known
 * ones after the new ones of their kind; the run's own order within.
 */
export function orderFindings(findings: readonly Finding[]): readonly Finding[] {
  const isUnexplained = ({ check }: Finding): boolean => check === ("limits.algorithm" satisfies LimitCheckId);
  const kind = (finding: Finding): number => (finding.verdict === "fail" ? 0 : isUnexplained(finding) ? 2 : 4);
  const rank = (finding: Finding): number => kind(finding) + (finding.baselined ? 1 : 0);
  return [...findings].sort((a, b) => rank(a) - rank(b));
}
