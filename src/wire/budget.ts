import type { Exchange } from "../core/exchange.ts";
import type { Manifest, Prices } from "../core/manifest.ts";
import type { SendRequest } from "../core/send-request.ts";
import { responseUsage, type TokenUsage } from "../core/token-usage.ts";
import { estimateWorstCase, priceUsage } from "./cost-estimate.ts";

/**
 * Requests, tokens and US dollars of a run. The worst case of a request is reserved before anything is sent; when the
 * reservations in flight and what was used would exceed a bound, nothing is sent. The bounds are never exceeded as long as
 * the worst cases are true.
 */
export interface Budget {
  /** null and the reason when a bound would be exceeded. */
  reserve(request: SendRequest): Reservation | { readonly refused: string };
  spent(): BudgetSpent;
}

export interface Reservation {
  /** Replaces the worst case by what the exchange used, as far as that is known. */
  settle(exchange: Exchange): void;
}

export interface BudgetSpent {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly estimatedUsd: number;
  /** Requests that were refused. */
  readonly refused: number;
}

export function createBudget(manifest: Pick<Manifest, "budget" | "prices">): Budget {
  const { maxRequests, maxTokens, maxCostUsd } = manifest.budget;
  const used = { requests: 0, tokens: 0, costUsd: 0 };
  const reported = { promptTokens: 0, completionTokens: 0, refused: 0 };

  const exceeded = (tokens: number, costUsd: number): string | null => {
    if (maxRequests !== null && used.requests + 1 > maxRequests) return `the budget of ${maxRequests} requests is used up`;
    if (maxTokens !== null && used.tokens + tokens > maxTokens)
      return `${tokens} more tokens could exceed the budget of ${maxTokens}`;
    // Sums of small amounts in binary fractions: a millionth of a dollar is not an excess.
    if (maxCostUsd !== null && used.costUsd + costUsd > maxCostUsd + 1e-6) {
      return `${costUsd.toFixed(4)} US dollars more could exceed the budget of ${maxCostUsd}`;
    }
    return null;
  };

  return {
    reserve(request) {
      const worst = request.reserve ?? estimateWorstCase(request, manifest.prices);
      const refused = request.required ? null : exceeded(worst.tokens, worst.costUsd);
      if (refused !== null) {
        reported.refused += 1;
        return { refused };
      }
      used.requests += 1;
      used.tokens += worst.tokens;
      used.costUsd += worst.costUsd;
      let open = true;
      return {
        settle(exchange) {
          if (!open) return;
          open = false;
          const actual = settledCost(exchange, worst, manifest.prices);
          if (!actual.sent) used.requests -= 1;
          used.tokens += actual.tokens - worst.tokens;
          used.costUsd += actual.costUsd - worst.costUsd;
          reported.promptTokens += actual.usage?.promptTokens ?? 0;
          reported.completionTokens += actual.usage?.completionTokens ?? 0;
        },
      };
    },
    spent: () => ({
      requests: used.requests,
      promptTokens: reported.promptTokens,
      completionTokens: reported.completionTokens,
      estimatedUsd: Math.max(0, Math.round(used.costUsd * 1e6) / 1e6),
      refused: reported.refused,
    }),
  };
}

interface SettledCost {
  readonly sent: boolean;
  readonly tokens: number;
  readonly costUsd: number;
  readonly usage: TokenUsage | null;
}

function settledCost(
  exchange: Exchange,
  worst: { readonly tokens: number; readonly costUsd: number },
  prices: Prices,
): SettledCost {
  const { response, failure } = exchange;
  if (exchange.connection === null && failure !== null) return { sent: false, tokens: 0, costUsd: 0, usage: null };
  const usage = responseUsage(response);
  if (usage !== null && usage.promptTokens !== null && failure === null) {
    const tokens = usage.totalTokens ?? usage.promptTokens + (usage.completionTokens ?? 0);
    return { sent: true, tokens, costUsd: priceUsage(usage, prices), usage };
  }
  // A refusal costs nothing; of everything else the worst is assumed, also of a stream that was cut.
  const refused = response !== null && response.status >= 400 && response.status < 500;
  return refused ? { sent: true, tokens: 0, costUsd: 0, usage: null } : { sent: true, ...worst, usage: null };
}
