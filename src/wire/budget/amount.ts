import type { WorstCase } from "../../core/cost-estimate.ts";
import type { BudgetCounted } from "./budget-counters.ts";

/** The quantities that a budget bounds, in the whole units of its counters. */
export type Amount = Readonly<Record<Extract<BudgetCounted, "requests" | "tokens" | "nanoUsd">, number>>;

/** One request of that cost. */
export function amountOf({ tokens, costUsd }: WorstCase): Amount {
  return { requests: 1, tokens: Math.ceil(tokens), nanoUsd: inNanoUsd(costUsd) };
}

export function multiply({ requests, tokens, nanoUsd }: Amount, by: number): Amount {
  return { requests: requests * by, tokens: tokens * by, nanoUsd: nanoUsd * by };
}

export function subtract(one: Amount, other: Amount): Amount {
  return {
    requests: one.requests - other.requests,
    tokens: one.tokens - other.tokens,
    nanoUsd: one.nanoUsd - other.nanoUsd,
  };
}

/** Rounded up: a reservation is never less than the price. */
export function inNanoUsd(usd: number): number {
  return Math.min(1e14, Math.ceil(usd * 1e9));
}

/** A number in a hostile answer must not overflow a sum of 64 bits. */
export function countableTokens(tokens: number): number {
  return Math.min(1e12, Math.ceil(tokens));
}
