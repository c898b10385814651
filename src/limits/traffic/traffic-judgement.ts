import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadLimitCheck } from "../../core/result/gate-result.ts";
import { findingId } from "../../core/result/finding-id.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import { judgedVerdicts } from "../../core/result/verdict.ts";
import { writeLimitFindings, overallVerdict, type LimitsJudgement } from "../exam/judge-limits.ts";
import type { PolicyJudgement } from "../probe/policy.ts";

/**
 * The verdicts of policies on traffic that was sent for another purpose: nothing was spent on them, and no suite asks for their
 * rows.
 */
export function trafficJudgement(judged: readonly PolicyJudgement[]): LimitsJudgement {
  const { policies, findings } = writeLimitFindings(judged);
  const result: LimitsResult = {
    verdict: overallVerdict(judged.map(({ verdict }) => verdict)),
    policies,
    spent: { requests: 0, minutes: 0, cents: 0 },
    notJudged: [],
  };
  return { result, findings, occurrences: [] };
}

/** The findings that the traffic of a load profile proves. */
export function findingsUnderLoad(profile: string, { findings }: LimitsJudgement): readonly Finding[] {
  return findings
    .filter((finding) => finding.verdict === "fail")
    .map((finding) => ({
      ...finding,
      id: findingId(finding.check, finding.id, profile),
      message: `under load ${profile}: ${finding.message}`,
    }));
}

/** The limit checks of the traffic of a profile: those that decided its gates on limits, and those that could not be judged. */
export function listLimitChecks({ policies }: LimitsResult): readonly LoadLimitCheck[] {
  return policies.flatMap(({ id: policy, kind, checks }) =>
    checks.map(({ id, title, verdict, considered, needed, message, overshoot }) => ({
      policy,
      kind,
      id,
      title,
      verdict,
      considered,
      needed,
      message,
      ...(overshoot === undefined ? {} : { overshoot }),
    })),
  );
}

/**
 * Figures of a monitored profile, summed over the groups of key and endpoint. Null where nothing was seen that could have shown one, so
 * that a gate is left untested instead of passing for lack of evidence.
 */
export function readLimitFigures(judgement: LimitsJudgement): LimitFigures {
  const checks = judgement.result.policies.flatMap((policy) => policy.checks);
  const decided = checks.filter(({ verdict }) => judgedVerdicts.has(verdict));
  // A counter that loses updates admits too many as well, but how many only the admissions themselves prove.
  const admission = decided.filter(({ id }) => id === "limits.over-admission");
  const excess = admission.reduce((sum, check) => sum + excessOf(check.certificate?.parameters), 0);
  const failed = decided.filter(({ verdict }) => verdict === "fail").length;
  return { over_admission: admission.length === 0 ? null : excess, violations: decided.length === 0 ? null : failed };
}

/** Excess of the worst window that was proven; at least one, since the certificate names one. */
function excessOf(parameters: Readonly<Record<string, number | string | boolean | null>> | undefined): number {
  if (parameters === undefined) return 0;
  const number = (name: string): number => Number(parameters[name] ?? 0);
  const allowed = number("bound") > 0 ? number("bound") : number("limit") + number("renewal");
  return Math.max(1, number("count") - allowed);
}
