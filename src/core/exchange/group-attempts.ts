import type { ExchangeFacts } from "./exchange-facts.ts";
import { groupBy } from "../group-by.ts";

/** A request and its repetitions. */
export type Attempts = readonly [ExchangeFacts, ...ExchangeFacts[]];

/** Each request with its repetitions, under the name that its first one has; null: it belongs to none. */
export function groupAttempts(
  exchanges: readonly ExchangeFacts[],
  nameOf: (exchange: ExchangeFacts) => string | null,
): ReadonlyMap<string, readonly Attempts[]> {
  const byName = groupBy(exchanges, nameOf);
  return new Map(
    [...byName].flatMap(([name, own]) => {
      const probes = groupBy(own, ({ retryOf, seq }) => retryOf ?? seq);
      return name === null ? [] : [[name, [...probes.values()]] as const];
    }),
  );
}
