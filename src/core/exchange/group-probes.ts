import type { ExchangeFacts } from "./exchange-facts.ts";

/** A request and its repetitions. */
export type Probe = readonly [ExchangeFacts, ...ExchangeFacts[]];

/** Each request with its repetitions, under the name that its first one has; null: it belongs to none. */
export function groupProbes(
  exchanges: readonly ExchangeFacts[],
  nameOf: (exchange: ExchangeFacts) => string | null,
): ReadonlyMap<string, readonly Probe[]> {
  const groups = new Map<string, Map<number, [ExchangeFacts, ...ExchangeFacts[]]>>();
  for (const exchange of exchanges) {
    const name = nameOf(exchange);
    if (name === null) continue;
    const probes = groups.get(name) ?? new Map<number, [ExchangeFacts, ...ExchangeFacts[]]>();
    groups.set(name, probes);
    const root = exchange.retryOf ?? exchange.seq;
    const known = probes.get(root);
    if (known === undefined) probes.set(root, [exchange]);
    else known.push(exchange);
  }
  return new Map([...groups].map(([name, probes]) => [name, [...probes.values()]]));
}
