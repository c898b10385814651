import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import type { LimitPolicyResult, LimitTier } from "../../core/result/limits-result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import type { Check } from "./check.ts";

/**
 * The questions without which an exam of a policy has not judged it: a pass that leaves one of them open would be read as an
 * answer to it. Not among them: what an exam can only ask on a virtual clock (the end of a billing cycle), or of a second key.
 */
const cores: Readonly<Record<LimitPolicyResult["kind"], readonly LimitCheckId[]>> = {
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

/** The first core question of a policy that its exam left open; null when each was judged. */
export function openCore(kind: LimitPolicyResult["kind"], checks: readonly Check[]): Check | null {
  return checks.find(({ id, verdict }) => cores[kind].includes(id) && verdict === "inconclusive") ?? null;
}

/** Summary of a policy with an open core question; undefined when there is none. */
export function describeOpen(open: Check | null): string | undefined {
  return open === null ? undefined : `not judged: "${open.title}" (${open.message})`;
}

/** What an examined policy comes to: its worst check, else what the evidence allows to say. */
export function policyVerdict(tier: LimitTier, checks: readonly Check[]): Verdict {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  if (checks.some((check) => check.verdict === "advisory")) return "advisory";
  return tier === "inconclusive" ? "inconclusive" : "pass";
}
