import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";

/**
 * The wait that a refusal announces, ms; the shorter of field and body. A date counts from the field Date or from the receipt: `shortest`
 * where a long wait is held against a service whose clocks may differ, `longest` where one of nothing is.
 */
export function announcedWaitMs(
  { retryHints: { header, bodySeconds } }: ExchangeFacts,
  reading: "shortest" | "longest",
): number | null {
  const dates = [header?.waitMs, header?.waitFromReceiptMs].filter((waitMs) => waitMs != null);
  const pick = reading === "shortest" ? Math.min : Math.max;
  const waits = [dates.length === 0 ? null : pick(...dates), bodySeconds?.waitMs].filter((waitMs) => waitMs != null);
  return waits.length === 0 ? null : Math.min(...waits);
}
