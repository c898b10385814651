import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { LoadLimitCheck } from "../../core/result/gate-result.ts";

/** What the limit judges looked at in the traffic of a profile: what decided its gates on limits, and what could not be known. */
export function listLimitChecks({ policies }: LimitsResult): readonly LoadLimitCheck[] {
  return policies.flatMap(({ id: policy, kind, checks }) =>
    checks.map(({ id, title, verdict, considered, needed, message }) => ({
      policy,
      kind,
      id,
      title,
      verdict,
      considered,
      needed,
      message,
    })),
  );
}
