import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";

/** The shortest reading of the wait that a refusal announces, ms: a date counts from the field Date or from the receipt. */
export function announcedWaitMs({ retryHints: { header, bodySeconds } }: ExchangeFacts): number | null {
  const waits = [header?.waitMs, header?.waitFromReceiptMs, bodySeconds?.waitMs].filter((waitMs) => waitMs != null);
  return waits.length === 0 ? null : Math.min(...waits);
}
