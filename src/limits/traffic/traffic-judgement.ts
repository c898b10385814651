import type { LimitsResult } from "../../core/result/limits-result.ts";
import { writeLimitFindings, overallVerdict, type LimitsJudgement } from "../exam/judge-limits.ts";
import type { PolicyJudgement } from "../exam/policy.ts";

/** What policies say of traffic that was sent for another purpose: nothing was spent on them, and no suite asks for their rows. */
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
