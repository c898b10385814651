import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { bySending } from "../../core/exchange/moments.ts";
import { groupBy } from "../../core/group-by.ts";

/**
 * The requests of one key to one endpoint in the conformance stage, in the order in which they were sent; by the names of both.
 */
export function keySeries(exchanges: readonly ExchangeFacts[]): ReadonlyMap<string, readonly ExchangeFacts[]> {
  const own = exchanges.filter(
    ({ stage, keyName, endpoint }) => stage === "conformance" && keyName !== null && endpoint !== null,
  );
  const inOrder = own.toSorted(bySending);
  return groupBy(inOrder, ({ keyName, endpoint }) => `${keyName} ${endpoint}`);
}
