import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf, type ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../core/exchange/headers/header-list.ts";

/** The sign of an answer that a cache kept: its age in whole seconds, or the earlier answer that it repeats. */
export type ReplaySign =
  | { readonly kind: "age"; readonly seconds: number }
  | { readonly kind: "repeated" | "same-report"; readonly of: number };

/** A Date counts whole seconds: an answer that the service wrote so much later has another one. */
const dateStepMs = 1000;

/**
 * The answers of caches by their number. A cache that hides the age of an answer repeats its Date and its id: an answer to a request that was sent
 * more than a second after the head of that other one came cannot have the same Date, unless nothing wrote it anew.
 */
export function findReplays(exchanges: readonly Exchange[]): ReadonlyMap<number, ReplaySign> {
  const replays = new Map<number, ReplaySign>();
  const originals = new Map<string, Exchange>();
  const sorted = [...exchanges].sort((one, other) => one.timing.sentMs - other.timing.sentMs);
  const datesMove = !standsStill(sorted);
  for (const exchange of sorted) {
    if (exchange.response === null) continue;
    const facts = factsOf(exchange);
    if (facts.isCached) {
      const ages = headerValues(exchange.response.headers, "age").map(Number);
      replays.set(exchange.seq, { kind: "age", seconds: Math.max(...ages.filter((age) => age > 0)) });
      continue;
    }
    const isReport = exchange.endpoint === "usage";
    const identity = isReport ? reportIdentityOf(facts) : identityOf(facts);
    const original = identity === null ? undefined : originals.get(identity);
    if (original !== undefined && isLongAfter(exchange, original) && (!isReport || datesMove))
      replays.set(exchange.seq, { kind: isReport ? "same-report" : "repeated", of: original.seq });
    if (identity !== null && original === undefined) originals.set(identity, exchange);
  }
  return replays;
}

/** Whether the Date of a service stands still: that of two answers is the same, though one was asked for long after the other had come. */
function standsStill(sorted: readonly Exchange[]): boolean {
  const dated = sorted.filter((one) => one.endpoint !== "usage" && one.response !== null && factsOf(one).dateMs !== null);
  return dated.some((later, index) => {
    const earlier = dated[index - 1];
    return earlier !== undefined && factsOf(earlier).dateMs === factsOf(later).dateMs && isLongAfter(later, earlier);
  });
}

function isLongAfter(later: Exchange, { timing: { headersMs } }: Exchange): boolean {
  return headersMs !== null && later.timing.sentMs > headersMs + dateStepMs;
}

/**
 * A usage report has no id, and says the same while nothing is spent. With the Date of an earlier one, although it was asked for much later,
 * it is that one, unless Dates stand still. null where it is no report, or without Date.
 */
function reportIdentityOf({ dateMs, keyName, status, request, response }: ExchangeFacts): string | null {
  const body = response?.body ?? null;
  if (dateMs === null || status !== 200 || body === null) return null;
  return JSON.stringify([keyName, request.method, request.path, dateMs, body.text ?? body.sha256]);
}

/** null where the answer has no id, or no Date. */
function identityOf(facts: ExchangeFacts): string | null {
  const { dateMs, keyName, endpoint, status, responseObject } = facts;
  const id = responseObject?.["id"];
  if (dateMs === null || typeof id !== "string" || id === "") return null;
  return JSON.stringify([keyName, endpoint, status, dateMs, id]);
}
