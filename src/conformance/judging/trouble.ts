import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";

/** Nothing that a verdict on the request can rest on: no answer, a limit that was not meant, or trouble of the server. */
export function isUnplannedTrouble({ status, failure }: ExchangeFacts): boolean {
  return status === null || failure !== null || status === 429 || status >= 500;
}

export function troubleOf({ status, failure }: ExchangeFacts): string {
  if (failure === null) return `answered ${status ?? "nothing"}`;
  return `no complete answer (${failure.kind === "too-large" ? failure.message : failure.kind})`;
}
