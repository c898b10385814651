import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Manifest, Prices } from "../../core/manifest.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { type Amount, amountOf, countableTokens, multiply, subtract } from "./amount.ts";
import { amountUsed } from "./amount-used.ts";
import { BoundedSums } from "./bounded-sums.ts";
import { createLocalCounters, type BudgetCounters } from "./budget-counters.ts";
import { estimateWorstCase, type WorstCase } from "../../core/cost-estimate.ts";

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
