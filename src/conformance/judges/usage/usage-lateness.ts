import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { between } from "../../../core/exchange/instant.ts";
import { momentsOf } from "../../../core/exchange/moments.ts";
import type { RedactedManifest } from "../../../core/manifest.ts";
import { growthOf, lastEnd, tokensOf, usageIntervals } from "./usage-interval.ts";

/** A report that is compiled in steps is later the next time than it was seen to be. */
const laterThanSeen = 3;

/** Time after which nobody waits for usage to show; `features.usageSettleSeconds` of the manifest. */
export function usageSettleMs({ features }: Pick<RedactedManifest, "features">): number {
  const declared = features["usageSettleSeconds"];
  return (typeof declared === "number" ? declared : 30) * 1000;
}

/** How late usage may show in a report that was seen to be so late; nothing where it never was. */
export function latenessMs(manifest: Pick<RedactedManifest, "features">, seenMs: number): number {
  return Math.min(usageSettleMs(manifest), laterThanSeen * seenMs);
}

const askingAgain = ["usage/reconciles", "usage/at-once", "usage/covers-the-account", "usage/counts-streams"];

/** The same from the record: what a report shows of the time before it may be what came too late for the one before. */
export function recordedLatenessMs(exchanges: readonly ExchangeFacts[], manifest: Pick<RedactedManifest, "features">): number {
  const lags = askingAgain
    .flatMap((id) => usageIntervals(exchanges, id))
    .map(({ before, afters, traffic }) => {
      const used = Math.max(
        1,
        traffic.reduce((sum, exchange) => sum + tokensOf(exchange), 0),
      );
      const complete = afters.findIndex((after) => growthOf(before, after) >= used);
      const seen = complete > 0 ? afters[complete] : undefined;
      return seen === undefined ? 0 : between(lastEnd(traffic), momentsOf(seen.exchange).ended).mostMs;
    });
  return latenessMs(manifest, Math.max(0, ...lags));
}
