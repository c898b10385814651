import { burstChecks } from "./burst-checks.ts";
import type { LimitCheckEntry, LimitCheckId } from "./limit-check.ts";
import type { LimitCheckText } from "./limit-check-text.ts";
import { requestChecks } from "./request-checks.ts";
import { spendChecks } from "./spend-checks.ts";

const texts: Readonly<Record<LimitCheckId, LimitCheckText>> = { ...requestChecks, ...burstChecks, ...spendChecks };

/** Every check of the limits stage: the one list that verdicts, reports, documentation and defects name checks by. */
export const limitChecks: readonly LimitCheckEntry[] = Object.entries(texts).map(([id, text]) => ({
  id: id as LimitCheckId,
  ...text,
}));

/** undefined: no check of this version has that id, as in a result of an older one. */
export function findLimitCheck(id: string): LimitCheckEntry | undefined {
  return isLimitCheckId(id) ? { id, ...texts[id] } : undefined;
}

function isLimitCheckId(id: string): id is LimitCheckId {
  return Object.hasOwn(texts, id);
}
