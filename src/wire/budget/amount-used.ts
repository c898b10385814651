import type { TokenUsage } from "../../core/exchange/bodies/token-usage.ts";
import { priceUsage } from "../../core/cost-estimate.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Prices } from "../../core/manifest.ts";
import { type Amount, countableTokens, inNanoUsd } from "./amount.ts";

export interface AmountUsed {
  readonly used: Amount;
  /** The usage that the target reports, if the amount follows from it. */
  readonly usage: TokenUsage | null;
}

/** The amount that an exchange used; the worst if it is not known. */
export function amountUsed(exchange: Exchange, worst: Amount, prices: Prices): AmountUsed {
  const { response, failure, connection } = exchange;
  if (connection === null && failure !== null) return { used: { requests: 0, tokens: 0, nanoUsd: 0 }, usage: null };
  const { usage } = factsOf(exchange);
  if (usage !== null && usage.promptTokens !== null && failure === null) {
    const tokens = countableTokens(usage.totalTokens ?? usage.promptTokens + (usage.completionTokens ?? 0));
    return { used: { requests: 1, tokens, nanoUsd: inNanoUsd(priceUsage(usage, prices)) }, usage };
  }
  // A refusal costs nothing; of everything else the worst is assumed, also of a stream that was cut.
  const isRefused = response !== null && response.status >= 400 && response.status < 500;
  if (isRefused) return { used: { requests: 1, tokens: 0, nanoUsd: 0 }, usage: null };
  return { used: { ...worst, tokens: countableTokens(worst.tokens) }, usage: null };
}
