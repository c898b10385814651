import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import { openQuestion, type PolicyJudgement } from "../probe/policy.ts";

/**
 * Of a run that asked about some checks only: a policy in doubt over other ones is judged where those that were asked about are. `asked`
 * null: every check is.
 */
export function narrowPolicies(
  policies: readonly PolicyJudgement[],
  asked: ReadonlySet<LimitCheckId> | null,
): readonly PolicyJudgement[] {
  return asked === null ? policies : policies.map((policy) => narrowPolicy(policy, asked));
}

function narrowPolicy(policy: PolicyJudgement, asked: ReadonlySet<LimitCheckId>): PolicyJudgement {
  if (policy.verdict !== "inconclusive") return policy;
  const own = policy.checks.filter(({ id }) => asked.has(id));
  // As in a whole exam, no other question holds a policy open: this target may have nothing that would decide it.
  if (openQuestion(policy.kind, own) !== null) return policy;
  const decided = own.filter(({ verdict }) => verdict !== "inconclusive" && verdict !== "not-applicable");
  // Its requests were sent for another policy, or for rows that single answers decide: the verdicts of rows say what is open.
  if (decided.length === 0) return { ...policy, drivenBy: "passing" };
  const summary = decided.map(({ message }) => message).join("; ");
  return { ...policy, tier: "unrefuted", verdict: "pass", summary: `only what was asked about: ${summary}` };
}
