import type { Finding } from "../../core/result/finding.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";

/** What was proven wrong in the traffic of a load profile. */
export function findingsUnderLoad(profile: string, { findings }: LimitsJudgement): readonly Omit<Finding, "id">[] {
  return findings
    .filter((finding) => finding.verdict === "fail")
    .map(({ id: _id, ...finding }) => ({ ...finding, message: `under load ${profile}: ${finding.message}` }));
}
