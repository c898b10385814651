import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";

/** By how much `x-ratelimit-remaining-requests` falls from the first to the second and from there to the third; null where it or its reset is not shown. */
export function readFall(three: readonly [ExchangeFacts, ExchangeFacts, ExchangeFacts]): {
  readonly first: number;
  readonly second: number;
  readonly resets: ReadonlySet<number | null>;
} | null {
  const shown = three.map(({ rateLimit }) => rateLimit.requests);
  const resets = new Set(shown.map(({ reset }) => (reset?.kind === "instant" ? reset.unixMs : null)));
  const [start, middle, end] = shown.map(({ remaining }) => remaining);
  if (start == null || middle == null || end == null || resets.has(null)) return null;
  return { first: start - middle, second: middle - end, resets };
}
