import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { momentsOf } from "../../core/exchange/moments.ts";

/** Answers that did not overlap in time: the order of others is not known. */
export function apart(own: readonly ExchangeFacts[]): readonly ExchangeFacts[] {
  let endedMs = Number.NEGATIVE_INFINITY;
  return own.filter((exchange) => {
    const { sent, ended } = momentsOf(exchange);
    const isApart = sent.earliestMs >= endedMs;
    endedMs = Math.max(endedMs, ended.latestMs);
    return isApart;
  });
}
