import type { TransportFailure } from "../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";

const kinds: ReadonlySet<TransportFailure["kind"]> = new Set([
  "connect-refused",
  "dns",
  "tls",
  "connect-timeout",
  "reused-connection-closed",
  "too-large",
  "aborted",
  "budget",
  "other",
]);

/** Nothing that the service did: it was not reached, we stopped, or nothing was sent. */
export function isNotTheService({ failure, response }: ExchangeFacts): boolean {
  return failure === null ? response === null : kinds.has(failure.kind);
}
