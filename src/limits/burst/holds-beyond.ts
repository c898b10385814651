import type { BurstView } from "./burst-view.ts";
import { leastHeldMs } from "./held-ms.ts";
import { readAdmission } from "./read-admission.ts";

/**
 * Whether the target holds what comes beyond the allowance: no request of any round was refused, some were answered only when much of the
 * cooldown was over, and no more than the allowance was served before. There is then no refusal that could be judged.
 */
export function holdsBeyond(view: BurstView): boolean {
  if (view.rounds.some(({ ops }) => ops.some(({ outcome }) => outcome === "rejected" || outcome === "other"))) return false;
  const held = view.rounds.some(({ admitted }) =>
    admitted.some((op) => leastHeldMs(op) > view.cooldownMs / 4 && !view.isStall(op)),
  );
  return held && readAdmission(view.rounds, view).kind === "within";
}

/** Why checks of refusals do not apply to such a target. */
export const heldWords = "what came beyond the allowance was held, and nothing was refused";
