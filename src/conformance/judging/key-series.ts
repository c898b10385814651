import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";

/** What one key sent to one endpoint in the conformance stage, in the order in which it was sent; by the names of both. */
export function keySeries(exchanges: readonly ExchangeFacts[]): ReadonlyMap<string, readonly ExchangeFacts[]> {
  const series = new Map<string, ExchangeFacts[]>();
  for (const exchange of exchanges.toSorted((one, other) => one.timing.sentMs - other.timing.sentMs)) {
    const { stage, keyName, endpoint } = exchange;
    if (stage !== "conformance" || keyName === null || endpoint === null) continue;
    const name = `${keyName} ${endpoint}`;
    const known = series.get(name);
    if (known === undefined) series.set(name, [exchange]);
    else known.push(exchange);
  }
  return series;
}
