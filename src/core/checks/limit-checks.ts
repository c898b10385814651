import { burstChecks } from "./burst-checks.ts";
import type { LimitCheckEntry, LimitCheckId } from "./limit-check.ts";
import type { LimitCheckPolicy, LimitCheckText } from "./limit-check-text.ts";
import { requestChecks } from "./request-checks.ts";
import { spendChecks } from "./spend-checks.ts";

const texts: Readonly<Record<LimitCheckId, Omit<LimitCheckText, "policy">>> = {
  ...requestChecks,
  ...burstChecks,
  ...spendChecks,
};

/** Every check of the limits stage: the one list that verdicts, reports, documentation and defects name checks by. */
export const limitChecks: readonly LimitCheckEntry[] = Object.entries(texts).map(([id, text]) => ({
  id: id as LimitCheckId,
  policy: policyOf(id),
  ...text,
}));

/** undefined: no check of this version has that id, as in a result of an older one. */
export function findLimitCheck(id: string): LimitCheckEntry | undefined {
  return limitChecks.find((check) => check.id === id);
}

/** Ids begin with their policy; those of the request limit, which came first, with `limits`. */
function policyOf(id: string): LimitCheckPolicy {
  const area = id.slice(0, id.indexOf("."));
  return area === "limits" ? "requests" : (area as LimitCheckPolicy);
}
