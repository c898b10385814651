import type { Exchange } from "../../core/exchange/exchange.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Manifest, Prices } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { TokenUsage } from "../../core/exchange/bodies/token-usage.ts";
import { createLocalCounters, type BudgetCounters } from "./budget-counters.ts";
import { estimateWorstCase, priceUsage, type WorstCase } from "../../core/exchange/cost-estimate.ts";

/**
 * Requests, tokens and US dollars of a run. The worst case of a request is reserved before anything is sent; when the
 * reservations in flight and what was used would exceed a bound, nothing is sent. The bounds are never exceeded as long as
 * the worst cases are true.
 */
export interface Budget {
  /** null and the reason when a bound would be exceeded. */
  reserve(request: SendRequest): Reservation | { readonly refused: string };
  /** Sets aside as many of `wanted` requests as the bounds still hold, for a tool that sends by itself. */
  reserveMany(wanted: number, each: WorstCase): ManyReserved;
  spent(): BudgetSpent;
}

export interface Reservation {
  /** Replaces the worst case by what the exchange used, as far as that is known. */
  settle(exchange: Exchange): void;
}

export interface ManyReserved {
  /** None where nothing is left. */
  readonly requests: number;
  /** Gives back what was not sent; what was sent counts at its worst. */
  settle(sent: number): void;
}

export interface BudgetSpent {
  readonly requests: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly estimatedUsd: number;
}

/** `counters` in shared memory make it one budget of several threads. */
export function createBudget(
  manifest: Pick<Manifest, "budget" | "prices">,
  counters: BudgetCounters = createLocalCounters(),
): Budget {
  const { maxRequests, maxTokens, maxCostUsd } = manifest.budget;
  // Prices are no binary fractions: a millionth of a dollar is not an excess.
  const maxNanoUsd = maxCostUsd === null ? null : nanoUsd(maxCostUsd) + 1000;

  /** Takes from all three, or from none and says why; what is required is counted and never refused. */
  const take = (requests: number, tokens: number, cost: number, required: boolean): string | null => {
    if (required) {
      counters.add("requests", requests);
      counters.add("tokens", tokens);
      counters.add("nanoUsd", cost);
      return null;
    }
    if (!counters.take("requests", requests, maxRequests)) return `the budget of ${maxRequests ?? 0} requests is used up`;
    if (!counters.take("tokens", tokens, maxTokens)) {
      counters.add("requests", -requests);
      return `${tokens} more tokens could exceed the budget of ${maxTokens ?? 0}`;
    }
    if (!counters.take("nanoUsd", cost, maxNanoUsd)) {
      counters.add("requests", -requests);
      counters.add("tokens", -tokens);
      return `${(cost / 1e9).toFixed(4)} US dollars more could exceed the budget of ${maxCostUsd ?? 0}`;
    }
    return null;
  };

  /** How many requests of that cost the bounds still hold, by what was taken until now. */
  const roomFor = (tokens: number, cost: number): number => {
    const room = (bound: number | null, used: number, each: number): number =>
      bound === null || each === 0 ? Infinity : Math.max(0, Math.floor((bound - used) / each));
    return Math.min(
      room(maxRequests, counters.value("requests"), 1),
      room(maxTokens, counters.value("tokens"), tokens),
      room(maxNanoUsd, counters.value("nanoUsd"), cost),
    );
  };

  return {
    reserveMany(wanted, each) {
      const tokens = Math.ceil(each.tokens);
      const cost = nanoUsd(each.costUsd);
      let requests = Math.min(wanted, roomFor(tokens, cost));
      // Another thread may have taken of it in between: then there is less.
      while (requests > 0 && take(requests, requests * tokens, requests * cost, false) !== null) {
        requests = Math.min(requests - 1, roomFor(tokens, cost));
      }
      let open = true;
      return {
        requests,
        settle(sent) {
          if (!open) return;
          open = false;
          const unsent = requests - Math.min(sent, requests);
          counters.add("requests", -unsent);
          counters.add("tokens", -unsent * tokens);
          counters.add("nanoUsd", -unsent * cost);
        },
      };
    },
    reserve(request) {
      const estimate = request.reserve ?? estimateWorstCase(request, manifest.prices);
      const worst = { tokens: Math.ceil(estimate.tokens), costUsd: estimate.costUsd };
      const reserved = nanoUsd(worst.costUsd);
      const refused = take(1, worst.tokens, reserved, request.required === true);
      if (refused !== null) return { refused };
      let open = true;
      return {
        settle(exchange) {
          if (!open) return;
          open = false;
          const actual = settledCost(exchange, worst, manifest.prices);
          const tokens = bounded(actual.tokens);
          if (!actual.sent) counters.add("requests", -1);
          if (tokens !== worst.tokens) counters.add("tokens", tokens - worst.tokens);
          if (actual.costUsd !== worst.costUsd) counters.add("nanoUsd", nanoUsd(actual.costUsd) - reserved);
          if (actual.usage === null) return;
          counters.add("promptTokens", bounded(actual.usage.promptTokens ?? 0));
          counters.add("completionTokens", bounded(actual.usage.completionTokens ?? 0));
        },
      };
    },
    spent: () => ({
      requests: counters.value("requests"),
      promptTokens: counters.value("promptTokens"),
      completionTokens: counters.value("completionTokens"),
      estimatedUsd: Math.max(0, Math.round(counters.value("nanoUsd") / 1000) / 1e6),
    }),
  };
}

/** Rounded up: a reservation is never less than the price. */
function nanoUsd(usd: number): number {
  return Math.min(1e14, Math.ceil(usd * 1e9));
}

/** What a hostile answer claims must not overflow a sum of 64 bits. */
function bounded(tokens: number): number {
  return Math.min(1e12, Math.ceil(tokens));
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
  const { usage } = factsOf(exchange);
  if (usage !== null && usage.promptTokens !== null && failure === null) {
    const tokens = usage.totalTokens ?? usage.promptTokens + (usage.completionTokens ?? 0);
    return { sent: true, tokens, costUsd: priceUsage(usage, prices), usage };
  }
  // A refusal costs nothing; of everything else the worst is assumed, also of a stream that was cut.
  const refused = response !== null && response.status >= 400 && response.status < 500;
  return refused ? { sent: true, tokens: 0, costUsd: 0, usage: null } : { sent: true, ...worst, usage: null };
}
