import type { LimitsResult } from "../../core/result/limits-result.ts";

/** Rows of limit checks that do not apply to the target, and why. An answer that decides such a row is stronger. */
export function inapplicableRows(policies: LimitsResult["policies"]): ReadonlyMap<string, string> {
  const checks = policies.flatMap((policy) => policy.checks).filter(({ verdict }) => verdict === "not-applicable");
  return new Map(checks.flatMap(({ requirements, message }) => requirements.map((row) => [row, message] as const)));
}
