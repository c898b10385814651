import { bodyBounds } from "../../core/body-bounds.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { PlannedCost } from "../plan/plan-conformance.ts";
import { timeoutsAtMost } from "../plan/patience.ts";

/** How long the stage waits in vain at most, whatever its target does. */
export interface ConformanceBounds {
  /** For windows and new keys, all waits together. */
  readonly waitMinutes: number;
  /** For a form of requests that never answers, or whose answers never end, its confirmation included. */
  readonly silentSeconds: number;
}

/** A limit may be a tenth of what the plan supposes; what makes a run wait longer than that is not waited for. */
const leastMinutes = 30;
const timesPlanned = 10;
/** A failed case is sent again once. */
const rounds = 2;

export function conformanceBounds({ minutes }: Pick<PlannedCost, "minutes">, { target }: Manifest): ConformanceBounds {
  const answerMs = target.timeoutMs + bodyBounds(target).bodyTotalMs;
  return {
    waitMinutes: Math.max(leastMinutes, Math.ceil(timesPlanned * minutes)),
    silentSeconds: Math.ceil((rounds * timeoutsAtMost * answerMs) / 1000),
  };
}
