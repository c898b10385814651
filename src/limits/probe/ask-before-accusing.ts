import type { LimitCheckId } from "../../core/result/checks/limit-check.ts";
import type { Tolerances } from "../history/tolerances.ts";
import type { Check } from "../verdict/check.ts";

/** Accusations that a window of another length would explain. */
const restOnWindow: ReadonlySet<LimitCheckId> = new Set([
  "limits.over-admission",
  "limits.under-admission",
  "limits.early-renewal",
  "limits.reset-too-far",
  "limits.remaining-not-restored",
  "limits.algorithm",
  "limits.lost-updates",
  "tokens.over-admission",
  "tokens.wrong-charge",
  "tokens.left-free",
]);

/** Accusations that requests of somebody else would explain. */
const restOnKey: ReadonlySet<LimitCheckId> = new Set([
  "limits.under-admission",
  "limits.remaining-not-granted",
  "limits.phantom-consumption",
  "limits.remaining-not-restored",
  "limits.reset-not-kept",
  "limits.retry-after-too-short",
  "limits.keys-share-counter",
  "limits.endpoints-share-counter",
  "limits.remaining-on-refusal",
  "tokens.wrong-charge",
  "tokens.phantom-consumption",
  "tokens.left-free",
  "tokens.left-slots",
  "tokens.retry-after-too-short",
  "burst.under-admission",
  "burst.raise-ignored",
  "burst.retry-after-too-short",
  "spend.raise-ignored",
  "spend.sum-unlike-report",
  "spend.keys-share-cap",
  "spend.cycle-not-reset",
]);

/** Accusations that several clocks would explain. */
const restOnClock: ReadonlySet<LimitCheckId> = new Set([
  "limits.early-renewal",
  "limits.reset-past",
  "limits.reset-not-kept",
  "limits.reset-moved-back",
  "limits.reset-too-far",
  "limits.retry-after-too-short",
  "limits.over-admission",
  "limits.algorithm",
]);

/**
 * Adds to each accusation the doubts that a reader asks about first, if it rests on them: window, key, clocks. Before that what
 * would have been correct, where the accusation does not say so itself.
 */
export function askBeforeAccusing(checks: readonly Check[], tolerances: Tolerances): readonly Check[] {
  const jump = checks.find(({ id, verdict }) => id === "limits.clocks-differ" && verdict === "advisory");
  return checks.map((check) => {
    if (check.verdict !== "fail" && check.verdict !== "advisory") return check;
    const questions = [
      ...(jump !== undefined && restOnClock.has(check.id) ? [`${jump.message}.`] : []),
      ...(restOnWindow.has(check.id) ? [`is the window ${tolerances.windowMs / 1000} s (features.windowSeconds)?`] : []),
      ...(restOnKey.has(check.id) ? ["does nobody else use the key (exclusive)?"] : []),
    ];
    const message = check.correct === undefined ? check.message : `${check.message}. Correct would be: ${check.correct}`;
    return { ...check, message: questions.length === 0 ? message : `${message}. First: ${questions.join(" ")}` };
  });
}
