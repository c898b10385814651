import type { NotSentReason, OutcomeClass } from "../../core/result/load-outcome.ts";
import type { LoadRecord } from "./load-record.ts";

/** Sums over records; attempts after the first count as outcomes, not as further requests. */
export interface Totals {
  readonly outcomes: Partial<Record<OutcomeClass, number>>;
  readonly notSent: Partial<Record<NotSentReason, number>>;
  /** Logical requests that fell due, sent or not. */
  readonly attempted: number;
  readonly good: number;
  readonly outputTokens: number | null;
}

export function countTotals(records: readonly LoadRecord[]): Totals {
  const outcomes: Partial<Record<OutcomeClass, number>> = {};
  const notSent: Partial<Record<NotSentReason, number>> = {};
  let attempted = 0;
  let good = 0;
  let outputTokens: number | null = null;
  for (const record of records) {
    outcomes[record.outcome] = (outcomes[record.outcome] ?? 0) + 1;
    if (record.notSent !== null) notSent[record.notSent] = (notSent[record.notSent] ?? 0) + 1;
    if (record.attempt === 1) attempted += 1;
    if (record.good) good += 1;
    // Tokens that had come when we cut a stream off did come.
    if (record.outputTokens !== null && (record.outcome === "ok" || record.outcome === "interrupted"))
      outputTokens = (outputTokens ?? 0) + record.outputTokens;
  }
  return { outcomes, notSent, attempted, good, outputTokens };
}
