import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { Prices } from "../../../core/manifest.ts";
import type { Occurrence, RunJudge } from "../../judging/judge.ts";
import { passOrFail } from "../../judging/pass-or-fail.ts";
import { accountKeys } from "../../judging/account-keys.ts";
import { isOverBefore } from "../../../core/exchange/moments.ts";
import { coarsestUnit, costUnitOf } from "./cost-unit.ts";
import { targetMs, type UsageInterval, usageIntervals } from "./usage-interval.ts";
import type { UsageReport } from "./usage-report.ts";

const requirement = "USG-047";

/** The cases that read a report before and after work of one kind, and the price of that work. */
const works: Readonly<Record<string, { readonly price: keyof Prices; readonly what: string }>> = {
  "usage/reconciles": { price: "perMillionPromptTokens", what: "chat answers and vectors" },
  "usage/images-cost": { price: "perImage", what: "images" },
  "usage/recordings-cost": { price: "perAudioMinute", what: "recordings" },
};

/** A recording of one second is what the case sends. */
const minutesSent = 1 / 60;
/** A cost of fewer units of the report may be made of rounding, or of a price that was stated too high. */
const unitsNeeded = 3;

/** An amount decides nothing: prices differ by quality and rebate. Work whose price is stated does not cost nothing. */
export const pricedWork: RunJudge = {
  scope: "run",
  id: "priced-work",
  covers: [requirement],
  *judge(exchanges, { manifest }): Iterable<Occurrence> {
    const { declaredPrices = [], prices } = manifest;
    const declared = pricesOf(declaredPrices, prices);
    for (const [caseId, { price, what }] of Object.entries(works)) {
      if (!declaredPrices.includes(price)) continue;
      for (const interval of usageIntervals(exchanges, caseId)) {
        // A report without a total is a matter of its shape.
        if (interval.before.totalCostUsd === null || interval.last.totalCostUsd === null) continue;
        const unit = costUnitOf([interval.before, ...interval.afters]);
        const { last } = interval;
        if (costOf(interval.traffic, declared) >= unitsNeeded * unit) yield judgeInterval(interval, what, prices[price]);
        // Work of the whole run is in the window; rounded to cents it is too much to be nothing.
        else if (last.totalCostUsd === 0) yield* judgeNothing(last, costOf(answersBefore(exchanges, last), declared));
      }
    }
  },
};

function judgeInterval({ before, last, traffic }: UsageInterval, what: string, price: number): Occurrence {
  const growth = (last.totalCostUsd ?? 0) - (before.totalCostUsd ?? 0);
  const subject = {
    requirement,
    exchanges: [before.exchange.seq, last.exchange.seq, ...traffic.slice(0, 3).map(({ seq }) => seq)],
  };
  return passOrFail(subject, growth > 0, () => ({
    kind: `the report shows no cost of ${what}`,
    expected: `a higher total_cost_usd than before, as the manifest declares a price (${price})`,
    observed: `${before.totalCostUsd} dollars before and ${last.totalCostUsd} dollars after`,
  }));
}

function* judgeNothing({ exchange }: UsageReport, expectedUsd: number): Iterable<Occurrence> {
  if (!(expectedUsd >= unitsNeeded * coarsestUnit)) return;
  yield {
    requirement,
    exchanges: [exchange.seq],
    outcome: "fail",
    kind: "the report shows no cost at all",
    expected: `about ${expectedUsd.toFixed(2)} dollars, by the prices of the manifest, for what this run was answered before`,
    observed: "total_cost_usd: 0",
  };
}

function answersBefore(exchanges: readonly ExchangeFacts[], { exchange, query }: UsageReport): readonly ExchangeFacts[] {
  return exchanges.filter(
    (one) =>
      accountKeys.has(one.keyName) && isOverBefore(one, exchange) && targetMs(one) >= (query.fromMs ?? Number.POSITIVE_INFINITY),
  );
}

/** 0 where the owner declares none. */
function pricesOf(declared: readonly (keyof Prices)[], prices: Prices): Prices {
  const priceOf = (name: keyof Prices): number => (declared.includes(name) ? prices[name] : 0);
  return {
    perMillionPromptTokens: priceOf("perMillionPromptTokens"),
    perMillionCompletionTokens: priceOf("perMillionCompletionTokens"),
    perImage: priceOf("perImage"),
    perAudioMinute: priceOf("perAudioMinute"),
  };
}

/** By the declared prices, US dollars, of the answers that came. Tokens that a cache held may be free, and count nothing. */
function costOf(traffic: readonly ExchangeFacts[], prices: Prices): number {
  return traffic
    .filter(({ isSuccess }) => isSuccess)
    .reduce((sum, { endpoint, usage, responseObject }) => {
      if (endpoint === "images") {
        const pictures = responseObject?.["data"];
        return sum + (Array.isArray(pictures) ? pictures.length : 0) * prices.perImage;
      }
      if (endpoint === "transcriptions") return sum + minutesSent * prices.perAudioMinute;
      return sum + (((usage?.promptTokens ?? 0) - (usage?.cachedTokens ?? 0)) * prices.perMillionPromptTokens) / 1e6;
    }, 0);
}
