import type { LimitPolicyResult } from "../../core/result/limits-result.ts";
import type { Check } from "./check.ts";

/** A judged policy before its findings are numbered. */
export interface PolicyJudgement extends Omit<LimitPolicyResult, "checks"> {
  readonly checks: readonly Check[];
}
