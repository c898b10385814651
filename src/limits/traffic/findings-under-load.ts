import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import type { LimitsJudgement } from "../exam/judge-limits.ts";

/** What was proven wrong in the traffic of a load profile. */
export function findingsUnderLoad(profile: string, { findings }: LimitsJudgement): readonly Finding[] {
  return findings
    .filter((finding) => finding.verdict === "fail")
    .map((finding) => ({
      ...finding,
      id: findingId(finding.check, finding.id, profile),
      message: `under load ${profile}: ${finding.message}`,
    }));
}
