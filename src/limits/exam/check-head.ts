import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import { findLimitCheck } from "../../core/checks/limit-checks.ts";
import type { CheckHead } from "./check.ts";

/** What every verdict of a check repeats, from the one list of checks; `needed`: observations below which it does not pass. */
export function checkHead(id: LimitCheckId, needed = 1): CheckHead {
  const { title, requirements } = findLimitCheck(id)!;
  return { id, title, requirements, needed };
}
