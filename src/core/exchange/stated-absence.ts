import type { ExchangeFacts } from "./exchange-facts.ts";
import { longestWaitMs } from "./headers/retry-hints.ts";

/** Answers that a wait does not change. */
const lasting: ReadonlySet<number> = new Set([501, 505]);

/**
 * How long a service that is away (it starts, is overloaded or under maintenance) asks its clients to wait, ms: any 5xx that a wait may
 * mend. null: the answer is another one, or names no wait. 0: it may be asked again at once.
 */
export function statedAbsenceMs({ status, failure, retryHints, isQuotaExceeded }: ExchangeFacts): number | null {
  if (status === null || status < 500 || lasting.has(status) || failure !== null || isQuotaExceeded) return null;
  return longestWaitMs(retryHints);
}
