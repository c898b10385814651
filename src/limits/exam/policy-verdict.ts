import type { LimitTier } from "../../core/result/limits-result.ts";
import type { Verdict } from "../../core/result/verdict.ts";
import type { Check } from "./check.ts";

/** What a policy comes to: its worst check, else what the evidence allows to say. */
export function policyVerdict(tier: LimitTier, checks: readonly Check[]): Verdict {
  if (checks.some((check) => check.verdict === "fail")) return "fail";
  if (checks.some((check) => check.verdict === "advisory")) return "advisory";
  return tier === "inconclusive" ? "inconclusive" : "pass";
}
