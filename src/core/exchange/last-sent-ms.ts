import type { ExchangeFacts } from "./exchange-facts.ts";

/** When the last of them was sent; before everything else where there is none. */
export function lastSentMs(exchanges: readonly ExchangeFacts[]): number {
  return exchanges.reduce((last, { timing }) => Math.max(last, timing.sentMs), Number.NEGATIVE_INFINITY);
}
