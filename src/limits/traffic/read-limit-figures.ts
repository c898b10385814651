import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";

/**
 * Figures of a monitored profile, summed over the groups of key and endpoint. Null where nothing was seen that could have shown one, so
 * that a gate is left untested instead of passing for lack of evidence.
 */
export function readLimitFigures(judgement: LimitsJudgement): LimitFigures {
  const checks = judgement.result.policies.flatMap((policy) => policy.checks);
  const decided = checks.filter(({ verdict }) => verdict !== "inconclusive" && verdict !== "untested");
  // A counter that loses updates admits too many as well, but how many only the admissions themselves prove.
  const admission = decided.filter(({ id }) => id === "limits.over-admission");
  const excess = admission.reduce((sum, check) => sum + excessOf(check.certificate?.parameters), 0);
  const failed = decided.filter(({ verdict }) => verdict === "fail").length;
  return { over_admission: admission.length === 0 ? null : excess, violations: decided.length === 0 ? null : failed };
}

/** Of the worst window that was proven; at least one, since the certificate names one. */
function excessOf(parameters: Readonly<Record<string, number | string | boolean | null>> | undefined): number {
  if (parameters === undefined) return 0;
  const number = (name: string): number => Number(parameters[name] ?? 0);
  const allowed = number("bound") > 0 ? number("bound") : number("limit") + number("renewal");
  return Math.max(1, number("count") - allowed);
}
