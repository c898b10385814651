import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf, type ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";

/** The sign of an answer that a cache kept: its age in whole seconds, or the earlier answer that it repeats. */
export type ReplaySign = { readonly kind: "age"; readonly seconds: number } | { readonly kind: "repeated"; readonly of: number };

/** A Date counts whole seconds: an answer that the service wrote so much later has another one. */
const dateStepMs = 1000;

/**
 * The answers of caches by their number. A cache that hides the age of an answer repeats its Date and its id: an answer to a request that was sent
 * more than a second after the head of that other one came cannot have the same Date, unless nothing wrote it anew.
 */
export function findReplays(exchanges: readonly Exchange[]): ReadonlyMap<number, ReplaySign> {
  const replays = new Map<number, ReplaySign>();
  const originals = new Map<string, Exchange>();
  for (const exchange of [...exchanges].sort((one, other) => one.timing.sentMs - other.timing.sentMs)) {
    if (exchange.response === null) continue;
    const facts = factsOf(exchange);
    if (facts.isCached) {
      const ages = headerValues(exchange.response.headers, "age").map(Number);
      replays.set(exchange.seq, { kind: "age", seconds: Math.max(...ages.filter((age) => age > 0)) });
      continue;
    }
    const identity = identityOf(facts);
    if (identity === null) continue;
    const original = originals.get(identity);
    if (original === undefined) originals.set(identity, exchange);
    else if (exchange.timing.sentMs > (original.timing.headersMs ?? Number.POSITIVE_INFINITY) + dateStepMs)
      replays.set(exchange.seq, { kind: "repeated", of: original.seq });
  }
  return replays;
}

/** null where the answer has no id, or no Date. */
function identityOf(facts: ExchangeFacts): string | null {
  const { dateMs, keyName, endpoint, status, responseObject } = facts;
  const id = responseObject?.["id"];
  if (dateMs === null || typeof id !== "string" || id === "") return null;
  return JSON.stringify([keyName, endpoint, status, dateMs, id]);
}
