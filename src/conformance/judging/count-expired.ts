import type { ExchangeFacts } from "../../core/exchange/exchange-facts.ts";
import { momentsOf } from "../../core/exchange/moments.ts";

/**
 * How many of these requests a log may have forgotten between the sending of `first` and the end of `last`: those that were under way
 * one window before. Their number may come back at once, however short that time is. O(n).
 */
export function countExpired(
  requests: readonly ExchangeFacts[],
  { first, last, windowMs }: { readonly first: ExchangeFacts; readonly last: ExchangeFacts; readonly windowMs: number },
): number {
  const [fromMs, toMs] = [momentsOf(first).sent.earliestMs - windowMs, momentsOf(last).ended.latestMs - windowMs];
  return requests.filter((one) => momentsOf(one).ended.latestMs >= fromMs && momentsOf(one).sent.earliestMs <= toMs).length;
}
