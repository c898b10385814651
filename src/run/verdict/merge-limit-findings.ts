import type { JudgedConformance } from "../../conformance/verdict/judge-conformance.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";

/** Name under which the answers of limit checks reach the requirements. */
export const limitJudge = "limit-checks";

/**
 * One defect of a limiter is reported once: by the finding of its check, which carries the certificate. Requirements that the check
 * decides point to that finding; those that no finding of a check names keep their own.
 */
export function mergeLimitFindings(conformance: JudgedConformance, limits: LimitsResult | null): JudgedConformance {
  const found = new Map<string, readonly string[]>();
  for (const check of (limits?.policies ?? []).flatMap((policy) => policy.checks)) {
    if (check.findings.length === 0) continue;
    for (const id of check.requirements) found.set(id, [...(found.get(id) ?? []), ...check.findings]);
  }
  const dropped = new Set(
    conformance.findings
      .filter((finding) => finding.check === limitJudge && finding.requirement !== null && found.has(finding.requirement))
      .map((finding) => finding.id),
  );
  if (dropped.size === 0) return conformance;
  const requirements = conformance.result.requirements.map((requirement) => {
    const kept = requirement.findings.filter((id) => !dropped.has(id));
    return kept.length === requirement.findings.length
      ? requirement
      : { ...requirement, findings: [...kept, ...new Set(found.get(requirement.id))] };
  });
  return {
    result: { ...conformance.result, requirements },
    findings: conformance.findings.filter((finding) => !dropped.has(finding.id)),
  };
}
