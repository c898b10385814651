import type { Verdict } from "../../core/result/verdict.ts";
import { limitPolicies, type LimitPolicyKind } from "../../core/checks/limit-policies.ts";
import type { LimitPolicyResult, LimitTier } from "../../core/result/limits-result.ts";
import type { Check } from "../verdict/check.ts";

/** A judged policy before its findings are numbered. */
export interface PolicyJudgement extends Omit<LimitPolicyResult, "checks"> {
  readonly checks: readonly Check[];
}

/** What judged checks come to; `agreed`: what there is to say where none of them is wrong or open. */
export function judgedByExam(
  kind: LimitPolicyKind,
  checks: readonly Check[],
  agreed: string,
): Pick<PolicyJudgement, "tier" | "drivenBy" | "verdict" | "summary"> {
  const open = openCore(kind, checks);
  const tier = checks.some(({ verdict }) => verdict === "fail") ? "violation" : open === null ? "unrefuted" : "inconclusive";
  const summary = open === null ? agreed : `not judged: "${open.title}" (${open.message})`;
  return { tier, drivenBy: "exam", verdict: policyVerdict(tier, checks), summary: worstOf(checks)?.message ?? summary };
}

/** The first failure, else the first advice. */
export function worstOf(checks: readonly Check[]): Check | undefined {
  return checks.find(({ verdict }) => verdict === "fail") ?? checks.find(({ verdict }) => verdict === "advisory");
}

/** What is declared of a policy that is no request limit. */
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

/** The first core question of a policy that its exam left open; null when each was judged. */
export function openCore(kind: LimitPolicyKind, checks: readonly Check[]): Check | null {
  return checks.find(({ id, verdict }) => limitPolicies[kind].core.includes(id) && verdict === "inconclusive") ?? null;
}

/** What an examined policy comes to: its worst check, else what the evidence allows to say. */
export function policyVerdict(tier: LimitTier, checks: readonly Check[]): Verdict {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  if (checks.some((check) => check.verdict === "advisory")) return "advisory";
  return tier === "inconclusive" ? "inconclusive" : "pass";
}
