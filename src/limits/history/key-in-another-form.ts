import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";

const marker = /<key:([\w-]+)/;

/**
 * The key that a request carries in a form which a service need not know (`bearer`, two spaces, another field), where the answer leaves open
 * whether a limiter counted it for that key; null: it carries none, or was refused as one without a key and shows no allowance.
 */
export function keyInAnotherForm(exchange: Exchange): string | null {
  if (exchange.keyName !== null) return null;
  const key = exchange.request.headers.map(([, value]) => marker.exec(value)?.[1]).find((name) => name !== undefined);
  if (key === undefined) return null;
  const { status, rateLimit } = factsOf(exchange);
  const isRefused = status === 401 && rateLimit.requests.remaining === null && rateLimit.tokens.remaining === null;
  return isRefused ? null : key;
}
