import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import type { RetryAfterHeader, RetryHints } from "../../core/exchange/headers/retry-hints.ts";
import { ownClockMs } from "./clock-offset.ts";
import type { RetryHint } from "./op.ts";

export function readRetry({ retryHints: hints }: ExchangeFacts): RetryHint {
  const header = hints.header === null ? null : { ...hints.header, waitMs: headerWaitMs(hints.header, hints) };
  const waitMs = header?.waitMs ?? hints.bodySeconds?.waitMs ?? hints.bodyMs?.waitMs ?? hints.headerMs?.waitMs ?? null;
  return { ...hints, header, seconds: waitMs === null ? null : waitMs / 1000 };
}

/**
 * A date counts from the Date of the answer or, where that clock is another one than the limiter's, from the receipt. The reading that the
 * body confirms is meant; without one the longer, unless our own clock must be wrong: a promise is judged only when it is surely over.
 */
function headerWaitMs({ waitMs, waitFromReceiptMs }: RetryAfterHeader, { bodySeconds, bodyMs }: RetryHints): number | null {
  if (waitMs === null || waitFromReceiptMs === undefined || waitFromReceiptMs === null) return waitMs;
  const confirmed = bodySeconds?.waitMs ?? bodyMs?.waitMs ?? null;
  if (confirmed !== null) {
    return Math.abs(waitFromReceiptMs - confirmed) < Math.abs(waitMs - confirmed) ? waitFromReceiptMs : waitMs;
  }
  return waitFromReceiptMs - waitMs <= ownClockMs ? Math.max(waitMs, waitFromReceiptMs) : waitMs;
}
