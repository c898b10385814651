import type { ExchangeFacts } from "./exchange-facts.ts";

/** Send instant of the last of them; -Infinity where there is none. */
export function lastSentMs(exchanges: readonly ExchangeFacts[]): number {
  return exchanges.reduce((last, { timing }) => Math.max(last, timing.sentMs), Number.NEGATIVE_INFINITY);
}
