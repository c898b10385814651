import type { ExchangeFacts } from "../../src/core/exchange/exchange-facts.ts";

/** Milliseconds until the request window ends that an answer states; 0 where it states none. */
export function leftOfWindowMs({ rateLimit, targetNowSeconds }: ExchangeFacts): number {
  const { reset } = rateLimit.requests;
  return reset?.kind === "instant" ? reset.unixMs - targetNowSeconds * 1000 : 0;
}
