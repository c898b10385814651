import type { Exchange, TransportFailure } from "../exchange/exchange.ts";

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
export function isNotTheService({ failure, response }: Pick<Exchange, "failure" | "response">): boolean {
  return failure === null ? response === null : kinds.has(failure.kind);
}
