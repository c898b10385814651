import type { Random } from "../../core/random.ts";
import type { Gaps } from "../profile/file/gaps.ts";
import type { PlannedSend } from "../profile/planned-send.ts";
import { plannedSend } from "../profile/planned-send.ts";
import { arrivalTimes, unitGaps, type RateCurve } from "./arrival-times.ts";

/** Rates that follow each other, each a step of its own. */
export function plannedSends(
  parts: readonly { readonly rate: RateCurve; readonly seconds: number }[],
  gaps: Gaps | { readonly shape: number },
  random: Random,
  firstStep = 0,
): readonly PlannedSend[] {
  const result: PlannedSend[] = [];
  let fromMs = 0;
  for (const [index, { rate, seconds }] of parts.entries()) {
    for (const atMs of arrivalTimes(rate, unitGaps(gaps, random), fromMs, 1000 * seconds)) {
      result.push(plannedSend(atMs, { step: firstStep + index }));
    }
    fromMs += 1000 * seconds;
  }
  return result;
}
