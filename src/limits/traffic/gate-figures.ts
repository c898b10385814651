import type { LimitsJudgement } from "../exam/judge-limits.ts";

/** What gates on limits ask for: `limits.over_admission`, `limits.violations`. */
export type LimitGateFigure = "over_admission" | "violations";

/**
 * Figures of a monitored profile. `over_admission`: requests that were admitted beyond what any lawful window can hold, summed
 * over the groups of key and endpoint, as far as certificates prove them. `violations`: checks that failed. null where nothing
 * was seen that could have shown one, so that a gate is left untested instead of passing for lack of evidence.
 */
export function readLimitFigure(judgement: LimitsJudgement, figure: LimitGateFigure): number | null {
  const checks = judgement.result.policies.flatMap((policy) => policy.checks);
  const decided = checks.filter(({ verdict }) => verdict !== "inconclusive" && verdict !== "untested");
  switch (figure) {
    case "over_admission": {
      // A counter that loses updates admits too many as well, but how many only the admissions themselves prove.
      const judged = decided.filter(({ id }) => id === "limits.over-admission");
      return judged.length === 0 ? null : judged.reduce((sum, check) => sum + excessOf(check.certificate?.parameters), 0);
    }
    case "violations":
      return decided.length === 0 ? null : decided.filter(({ verdict }) => verdict === "fail").length;
    default:
      return figure satisfies never;
  }
}

/** Of the worst window that was proven; at least one, since the certificate names one. */
function excessOf(parameters: Readonly<Record<string, number | string | boolean | null>> | undefined): number {
  if (parameters === undefined) return 0;
  const number = (name: string): number => Number(parameters[name] ?? 0);
  const allowed = number("bound") > 0 ? number("bound") : number("limit") + number("renewal");
  return Math.max(1, number("count") - allowed);
}
