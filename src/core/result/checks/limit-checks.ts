import type { LimitCheckEntry, LimitCheckId } from "./limit-check.ts";
import type { LimitCheckText } from "./limit-check-text.ts";
import { limitCheckTables, type LimitCheckPolicy } from "./limit-policies.ts";

const checksOf = (policy: LimitCheckPolicy): readonly LimitCheckEntry[] => {
  const texts: Readonly<Partial<Record<LimitCheckId, LimitCheckText>>> = limitCheckTables[policy].checks;
  return Object.entries(texts).map(([id, text]) => ({ id: id as LimitCheckId, policy, ...text }));
};

/** Every check of the limits stage: the one list that verdicts, reports, documentation and defects name checks by. */
export const limitChecks: readonly LimitCheckEntry[] = (Object.keys(limitCheckTables) as LimitCheckPolicy[]).flatMap(checksOf);

/** undefined: no check of this version has that id, as in a result of an older one. */
export function findLimitCheck(id: string): LimitCheckEntry | undefined {
  return limitChecks.find((check) => check.id === id);
}
