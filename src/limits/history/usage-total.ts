import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";

/** A billing month back, since a cap is compared with all that was spent in it, to a day ahead; the same for all reports of an exam. */
export function usagePath(wallMs: number): string {
  const dayMs = 86_400_000;
  const day = Math.floor(wallMs / dayMs);
  const iso = (index: number): string => encodeURIComponent(new Date(index * dayMs).toISOString().replace(".000Z", "Z"));
  return `/v1/usage?from=${iso(day - 32)}&to=${iso(day + 2)}&granularity=day`;
}

/** No bill is higher, and sums of such amounts are still exact to a cent. */
const mostUsd = 1e12;

/**
 * `aggregate.total_cost_usd` of a usage report in cents, null when it has none that a bill could have. A report with an age says what was
 * spent at another time: it counts as none.
 */
export function readTotalCents(exchange: Exchange): number | null {
  const facts = factsOf(exchange);
  if (facts.isCached) return null;
  const aggregate = facts.responseObject?.["aggregate"];
  const usd = isJsonObject(aggregate) ? aggregate["total_cost_usd"] : null;
  return typeof usd === "number" && Math.abs(usd) <= mostUsd ? usd * 100 : null;
}
