import type { ExchangeFacts } from "./exchange-facts.ts";

/** Send instant of the last of them; -Infinity where there is none. */
export function lastSentMs(exchanges: readonly ExchangeFacts[]): number {
  return exchanges.reduce((last, { sent }) => Math.max(last, sent.earliestMs), Number.NEGATIVE_INFINITY);
}
