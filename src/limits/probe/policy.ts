import type { Verdict } from "../../core/result/verdict.ts";
import { limitPolicies, type LimitPolicyKind } from "../../core/result/checks/limit-policies.ts";
import type { LimitPolicyResult, LimitTier } from "../../core/result/limits-result.ts";
import type { Check } from "../verdict/check.ts";

/** A judged policy before its findings are numbered. */
export interface PolicyJudgement extends Omit<LimitPolicyResult, "checks"> {
  readonly checks: readonly Check[];
}

/** The verdict and message of a policy by its judged checks; `agreed` is the message if none of them is wrong or open. */
export function judgedByExam(
  kind: LimitPolicyKind,
  checks: readonly Check[],
  agreed: string,
): Pick<PolicyJudgement, "tier" | "drivenBy" | "verdict" | "summary"> {
  const open = openQuestion(kind, checks);
  const tier = checks.some(({ verdict }) => verdict === "fail") ? "violation" : open === null ? "unrefuted" : "inconclusive";
  const verdict = policyVerdict(tier, checks);
  const summary = open === null ? agreed : `not judged: "${open.title}" (${open.message})`;
  // A policy in doubt says what is open; its advice stands among the findings.
  const worst = verdict === "inconclusive" ? undefined : worstOf(checks);
  return { tier, drivenBy: "exam", verdict, summary: worst?.message ?? summary };
}

/** The first failure, else the first advice. */
export function worstOf(checks: readonly Check[]): Check | undefined {
  return checks.find(({ verdict }) => verdict === "fail") ?? checks.find(({ verdict }) => verdict === "advisory");
}

/** The declared values of a policy that is no request limit. */
export const undeclared: PolicyJudgement["declared"] = {
  limit: null,
  windowSeconds: null,
  cooldownSeconds: null,
  capCents: null,
  algorithm: null,
};

export const emptyTimeline: PolicyJudgement["timeline"] = {
  ops: [],
  windows: [],
  feasible: [],
  cooldowns: [],
  retryAfter: [],
  spend: [],
};

/** Whether an accusation is neither confirmed nor refuted: a pass beside it would be read as its acquittal. */
export function hasWithheld(checks: readonly Check[]): boolean {
  return checks.some(({ withheld }) => withheld === true);
}

/** The first question that holds a policy open: an accusation that was withheld, else a core question that its exam left open. */
export function openQuestion(kind: LimitPolicyKind, checks: readonly Check[]): Check | null {
  const isOpenCore = ({ id, verdict }: Check): boolean => limitPolicies[kind].core.includes(id) && verdict === "inconclusive";
  return checks.find(({ withheld }) => withheld === true) ?? checks.find(isOpenCore) ?? null;
}

/**
 * The verdict of an examined policy, in the order in which rows are settled: fail, inconclusive, advisory, pass. A question that is open stays
 * open whatever else is advised.
 */
export function policyVerdict(tier: LimitTier, checks: readonly Check[]): Verdict {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  if (tier === "inconclusive" || hasWithheld(checks)) return "inconclusive";
  return checks.some((check) => check.verdict === "advisory") ? "advisory" : "pass";
}
