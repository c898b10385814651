import type { Verdict } from "../../core/result/verdict.ts";
import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import type { LimitPolicyResult, LimitTier } from "../../core/result/limits-result.ts";
import type { Check } from "./check.ts";

/** A judged policy before its findings are numbered. */
export interface PolicyJudgement extends Omit<LimitPolicyResult, "checks"> {
  readonly checks: readonly Check[];
}

type Kind = LimitPolicyResult["kind"];

/**
 * The questions without which an exam of a policy has not judged it: a pass that leaves one of them open would be read as an
 * answer to it. Not among them: what an exam can only ask on a virtual clock (the end of a billing cycle), or of a second key.
 */
const cores: Readonly<Record<Kind, readonly LimitCheckId[]>> = {
  // Whether too many were admitted is open only where nothing was refused: then these are open too.
  requests: ["limits.under-admission", "limits.retry-after-form"],
  tokens: ["tokens.wrong-charge", "tokens.over-admission"],
  burst: ["burst.over-admission", "burst.under-admission", "burst.cooldown-too-long"],
  "key-cap": [
    "spend.admitted-at-cap",
    "spend.lower-ignored",
    "spend.raise-ignored",
    "spend.overshoot",
    "spend.reopened",
    "spend.refusal-shape",
  ],
  "account-cap": ["spend.account-cap-ignored"],
  "key-propagation": [],
};

/** What judged checks come to; `agreed`: what there is to say where none of them is wrong or open. */
export function judgedByExam(
  kind: Kind,
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
export function openCore(kind: Kind, checks: readonly Check[]): Check | null {
  return checks.find(({ id, verdict }) => cores[kind].includes(id) && verdict === "inconclusive") ?? null;
}

/** What an examined policy comes to: its worst check, else what the evidence allows to say. */
export function policyVerdict(tier: LimitTier, checks: readonly Check[]): Verdict {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  if (checks.some((check) => check.verdict === "advisory")) return "advisory";
  return tier === "inconclusive" ? "inconclusive" : "pass";
}
