import type { Exchange } from "../../core/exchange/exchange.ts";

/** Rejects and overload may be tried again; 502 and 500 too by section "Errors". */
export function isRetryable({ failure, response }: Exchange): boolean {
  const status = response?.status ?? 0;
  return failure === null && (status === 429 || status === 500 || status === 502 || status === 503);
}
