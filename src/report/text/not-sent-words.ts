import type { NotSentReason } from "../../core/result/load-outcome.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { formatCount } from "./format-number.ts";

/**
 * Why planned sends never left: `9 Retry-After obeyed, 3 maxInFlight reached`. Empty where nothing was held back, and in results
 * that were written before reasons were kept.
 */
export function notSentWords({ notSent = {} }: LoadProfileResult): string {
  return reasons
    .filter((reason) => (notSent[reason] ?? 0) > 0)
    .map((reason) => `${formatCount(notSent[reason] ?? 0)} ${words[reason]}`)
    .join(", ");
}

const words: Readonly<Record<NotSentReason, string>> = {
  "retry-after": "Retry-After obeyed",
  "max-in-flight": "maxInFlight reached",
  budget: "budget used up",
  cancelled: "turns cancelled by a failure",
};

const reasons: readonly NotSentReason[] = ["retry-after", "max-in-flight", "budget", "cancelled"];
