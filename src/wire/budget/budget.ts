import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest, Prices } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { createLocalCounters, type BudgetCounters, type BudgetCounted } from "./budget-counters.ts";
import { estimateWorstCase, type WorstCase, priceUsage } from "../../core/cost-estimate.ts";
import type { TokenUsage } from "../../core/exchange/bodies/token-usage.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";

/** The sums that a budget bounds. An amount is taken whole or not at all. */
class BoundedSums {
  readonly #budget: Manifest["budget"];
  readonly #counters: BudgetCounters;
  readonly #maxNanoUsd: number | null;

  constructor(budget: Manifest["budget"], counters: BudgetCounters) {
    this.#budget = budget;
    this.#counters = counters;
    // Prices are no binary fractions: a millionth of a dollar is not an excess.
    this.#maxNanoUsd = budget.maxCostUsd === null ? null : inNanoUsd(budget.maxCostUsd) + 1000;
  }

  /** Says why where a bound would be exceeded, and takes nothing then. */
  take({ requests, tokens, nanoUsd }: Amount): string | null {
    const { maxRequests, maxTokens, maxCostUsd } = this.#budget;
    const counters = this.#counters;
    if (!counters.take("requests", requests, maxRequests)) return `the budget of ${maxRequests ?? 0} requests is used up`;
    if (!counters.take("tokens", tokens, maxTokens)) {
      counters.add("requests", -requests);
      return `${tokens} more tokens could exceed the budget of ${maxTokens ?? 0}`;
    }
    if (!counters.take("nanoUsd", nanoUsd, this.#maxNanoUsd)) {
      counters.add("requests", -requests);
      counters.add("tokens", -tokens);
      return `${(nanoUsd / 1e9).toFixed(4)} US dollars more could exceed the budget of ${maxCostUsd ?? 0}`;
    }
    return null;
  }

  /** Adds without regard to the bounds; a negative amount is given back. */
  add({ requests, tokens, nanoUsd }: Amount): void {
    // Memory that threads share is left alone where nothing changes.
    if (requests !== 0) this.#counters.add("requests", requests);
    if (tokens !== 0) this.#counters.add("tokens", tokens);
    if (nanoUsd !== 0) this.#counters.add("nanoUsd", nanoUsd);
  }

  /** How many of that amount the bounds still hold, by what was taken until now. */
  roomFor(each: Amount): number {
    const room = (bound: number | null, what: keyof Amount): number =>
      bound === null || each[what] === 0 ? Infinity : Math.max(0, Math.floor((bound - this.#counters.value(what)) / each[what]));
    const { maxRequests, maxTokens } = this.#budget;
    return Math.min(room(maxRequests, "requests"), room(maxTokens, "tokens"), room(this.#maxNanoUsd, "nanoUsd"));
  }
}

/**
 * Requests, tokens and US dollars of a run. The worst case of a request is reserved before anything is sent; when the
 * reservations in flight and what was used would exceed a bound, nothing is sent. The bounds are never exceeded as long as
 * the worst cases are true.
 */
export interface Budget {
  /** null and the reason when a bound would be exceeded. */
  reserve(request: SendRequest): Reservation | { readonly refused: string };
  /**
   * Sets aside as many of `wanted` requests as the bounds still hold, for a tool that sends by itself; at most this share of what is
   * left, default: all of it.
   */
  reserveMany(wanted: number, each: WorstCase, share?: number): ManyReserved;
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
  return new CountedBudget(manifest, counters);
}

class CountedBudget implements Budget {
  readonly #prices: Prices;
  readonly #counters: BudgetCounters;
  readonly #sums: BoundedSums;

  constructor({ budget, prices }: Pick<Manifest, "budget" | "prices">, counters: BudgetCounters) {
    this.#prices = prices;
    this.#counters = counters;
    this.#sums = new BoundedSums(budget, counters);
  }

  reserve(request: SendRequest): Reservation | { readonly refused: string } {
    const worst = amountOf(request.reserve ?? estimateWorstCase(request, this.#prices));
    // A required request is counted and never refused.
    if (request.required === true) this.#sums.add(worst);
    else {
      const refused = this.#sums.take(worst);
      if (refused !== null) return { refused };
    }
    return { settle: once((exchange: Exchange) => this.#settle(worst, exchange)) };
  }

  reserveMany(wanted: number, worst: WorstCase, share = 1): ManyReserved {
    const each = amountOf(worst);
    const requests = this.#takeUpTo(wanted, each, share);
    return { requests, settle: once((sent: number) => this.#sums.add(multiply(each, Math.min(sent, requests) - requests))) };
  }

  spent(): BudgetSpent {
    return {
      requests: this.#counters.value("requests"),
      promptTokens: this.#counters.value("promptTokens"),
      completionTokens: this.#counters.value("completionTokens"),
      estimatedUsd: Math.max(0, Math.round(this.#counters.value("nanoUsd") / 1000) / 1e6),
    };
  }

  /** How many requests it took of those wanted. */
  #takeUpTo(wanted: number, each: Amount, share: number): number {
    const room = (): number => Math.floor(share * this.#sums.roomFor(each));
    let requests = Math.min(wanted, room());
    // Another thread may have taken of it in between: then there is less.
    while (requests > 0 && this.#sums.take(multiply(each, requests)) !== null) {
      requests = Math.min(requests - 1, room());
    }
    return requests;
  }

  #settle(worst: Amount, exchange: Exchange): void {
    const { used, usage } = amountUsed(exchange, worst, this.#prices);
    this.#sums.add(subtract(used, worst));
    if (usage === null) return;
    this.#counters.add("promptTokens", countableTokens(usage.promptTokens ?? 0));
    this.#counters.add("completionTokens", countableTokens(usage.completionTokens ?? 0));
  }
}

/** A second settlement changes nothing. */
function once<Input>(settle: (input: Input) => void): (input: Input) => void {
  let isOpen = true;
  return (input) => {
    if (!isOpen) return;
    isOpen = false;
    settle(input);
  };
}

interface AmountUsed {
  readonly used: Amount;
  /** The usage that the target reports, if the amount follows from it. */
  readonly usage: TokenUsage | null;
}

/** The amount that an exchange used; the worst if it is not known. */
function amountUsed(exchange: Exchange, worst: Amount, prices: Prices): AmountUsed {
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

/** The quantities that a budget bounds, in the whole units of its counters. */
type Amount = Readonly<Record<Extract<BudgetCounted, "requests" | "tokens" | "nanoUsd">, number>>;

/** One request of that cost. */
function amountOf({ tokens, costUsd }: WorstCase): Amount {
  return { requests: 1, tokens: Math.ceil(tokens), nanoUsd: inNanoUsd(costUsd) };
}

function multiply({ requests, tokens, nanoUsd }: Amount, by: number): Amount {
  return { requests: requests * by, tokens: tokens * by, nanoUsd: nanoUsd * by };
}

function subtract(one: Amount, other: Amount): Amount {
  return {
    requests: one.requests - other.requests,
    tokens: one.tokens - other.tokens,
    nanoUsd: one.nanoUsd - other.nanoUsd,
  };
}

/** Rounded up: a reservation is never less than the price. */
function inNanoUsd(usd: number): number {
  return Math.min(1e14, Math.ceil(usd * 1e9));
}

/** A number in a hostile answer must not overflow a sum of 64 bits. */
function countableTokens(tokens: number): number {
  return Math.min(1e12, Math.ceil(tokens));
}
