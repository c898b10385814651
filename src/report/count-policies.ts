import type { LimitsResult } from "../core/result/limits-result.ts";

export interface PolicyCounts {
  readonly correct: number;
  readonly violated: number;
  readonly advisory: number;
  /** Seen too little to be judged. */
  readonly open: number;
  /** For lack of a fixture or permission, or because the target did not get there. */
  readonly notExamined: number;
}

/** How many policies ended in which way; every policy is counted once. */
export function countPolicies({ policies, notJudged }: LimitsResult): PolicyCounts {
  const count = (verdict: string): number => policies.filter((policy) => policy.verdict === verdict).length;
  const [correct, violated, advisory] = [count("pass"), count("fail"), count("advisory")];
  return { correct, violated, advisory, open: policies.length - correct - violated - advisory, notExamined: notJudged.length };
}
