import { burstChecks } from "./burst-checks.ts";
import type { LimitCheckEntry, LimitCheckId } from "./limit-check.ts";
import type { LimitCheckPolicy, LimitCheckText } from "./limit-check-text.ts";
import { queueChecks } from "./queue-checks.ts";
import { requestChecks } from "./request-checks.ts";
import { spendChecks } from "./spend-checks.ts";
import { tokenChecks } from "./token-checks.ts";

type Texts = Readonly<Partial<Record<LimitCheckId, Omit<LimitCheckText, "policy">>>>;

const checksOf = (policy: LimitCheckPolicy, texts: Texts): readonly LimitCheckEntry[] =>
  Object.entries(texts).map(([id, text]) => ({ id: id as LimitCheckId, policy, ...text }));

/** Every check of the limits stage: the one list that verdicts, reports, documentation and defects name checks by. */
export const limitChecks: readonly LimitCheckEntry[] = [
  ...checksOf("requests", requestChecks),
  ...checksOf("tokens", tokenChecks),
  ...checksOf("burst", burstChecks),
  ...checksOf("queue", queueChecks),
  ...checksOf("spend", spendChecks),
];

/** undefined: no check of this version has that id, as in a result of an older one. */
export function findLimitCheck(id: string): LimitCheckEntry | undefined {
  return limitChecks.find((check) => check.id === id);
}
