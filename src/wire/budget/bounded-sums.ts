import type { Manifest } from "../../core/manifest.ts";
import { type Amount, inNanoUsd } from "./amount.ts";
import type { BudgetCounters } from "./budget-counters.ts";

/** The sums that a budget bounds. An amount is taken whole or not at all. */
export class BoundedSums {
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
