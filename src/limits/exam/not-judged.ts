import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { UntestedReason } from "../../core/result/verdict.ts";

/** A part of the exam that cannot be, and for lack of what in the manifest. */
export function notJudged(policy: string, untested: UntestedReason, lack: string): LimitsResult["notJudged"][number] {
  return { policy, untested, reason: `${untested}: ${lack}` };
}
