import type { LimitPolicyResult } from "./limits-result.ts";

/** Whether a run drove a policy or at least decided it: one that requests for other purposes merely touched need not decide anything. */
export function isExamined({ verdict, drivenBy }: Pick<LimitPolicyResult, "verdict" | "drivenBy">): boolean {
  return verdict !== "inconclusive" || drivenBy !== "passing";
}
