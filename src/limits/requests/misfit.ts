import type { LimitCheckId } from "../../core/checks/limit-check.ts";
import type { Check } from "../exam/check.ts";

/** Contradictions in what is admitted and counted: no algorithm can explain a history that holds one of them. */
const ofCounting: ReadonlySet<LimitCheckId> = new Set([
  "limits.over-admission",
  "limits.under-admission",
  "limits.remaining-not-granted",
  "limits.lost-updates",
  "limits.phantom-consumption",
  "limits.early-renewal",
  "limits.remaining-range",
  "limits.remaining-on-refusal",
  "limits.remaining-not-restored",
  "limits.limit-changed",
  "limits.reset-not-kept",
  "limits.retry-after-too-short",
  "limits.keys-share-counter",
  "limits.endpoints-share-counter",
  "limits.path-bypass",
  "limits.capacity-above-limit",
  "limits.refusal-of-another-kind",
]);

/**
 * That no algorithm explains a history is news only while nothing else is known to be wrong with what it counts: beside such a finding it
 * would ask a reader about a window that is declared well.
 */
export function settleMisfit(algorithm: Check, found: readonly Check[]): Check {
  const known = found.find(({ id, verdict }) => verdict === "fail" && ofCounting.has(id));
  if (known === undefined || algorithm.tier !== "unexplained") return algorithm;
  const message = `not judged: no algorithm explains a history that contradicts itself (${known.id})`;
  return { ...algorithm, tier: "inconclusive", verdict: "inconclusive", message, certificate: null, exchanges: [] };
}
