import { type BudgetCounted, type BudgetCounters, zeroSums } from "../../../wire/budget/budget-counters.ts";

/** The quantities that a budget bounds. */
export const escrowed = ["requests", "tokens", "nanoUsd"] as const;
export type Escrowed = (typeof escrowed)[number];

/** Amounts of each; null where there is no bound. */
export type Amounts = Readonly<Record<Escrowed, number | null>>;

/** Counters of an agent, which may not spend more than it was granted of the budget of all. */
export interface EscrowCounters extends BudgetCounters {
  /** Adds a grant; where that is null anything may be spent. */
  credit(grant: Amounts): void;
  /** The amounts that a request of that worst case still lacks, or null when it may be pledged. */
  lacks(worst: Readonly<Record<Escrowed, number>>): Readonly<Record<Escrowed, number>> | null;
  /** Keeps it for a request that waits for its turn, so that no other takes it meanwhile. */
  pledge(worst: Readonly<Record<Escrowed, number>>): void;
  /** Sets free what was pledged, right before it is taken. */
  redeem(worst: Readonly<Record<Escrowed, number>>): void;
  /** Granted and not spent. */
  unspent(): Readonly<Record<Escrowed, number>>;
  sums(): Readonly<Record<BudgetCounted, number>>;
}

export function createEscrowCounters(): EscrowCounters {
  const sums = zeroSums();
  const granted = ofEach(() => 0);
  const pledged = ofEach(() => 0);
  const room = (what: Escrowed): number => granted[what] - sums[what] - pledged[what];
  return {
    take(what, amount, bound) {
      // The manifest of the agent may bound more tightly than that of the run.
      if (bound !== null && sums[what] + amount > bound) return false;
      if (isEscrowed(what) && amount > room(what)) return false;
      sums[what] += amount;
      return true;
    },
    add(what, amount) {
      sums[what] += amount;
    },
    value: (what) => sums[what],
    credit(grant) {
      for (const what of escrowed) granted[what] += grant[what] ?? Infinity;
    },
    lacks(worst) {
      const missing = ofEach((what) => Math.max(0, worst[what] - room(what)));
      return escrowed.every((what) => missing[what] === 0) ? null : missing;
    },
    pledge(worst) {
      for (const what of escrowed) pledged[what] += worst[what];
    },
    redeem(worst) {
      for (const what of escrowed) pledged[what] -= worst[what];
    },
    unspent: () => ofEach((what) => finite(room(what))),
    sums: () => ({ ...sums }),
  };
}

function ofEach(amountOf: (what: Escrowed) => number): Record<Escrowed, number> {
  return { requests: amountOf("requests"), tokens: amountOf("tokens"), nanoUsd: amountOf("nanoUsd") };
}

function isEscrowed(what: BudgetCounted): what is Escrowed {
  return what === "requests" || what === "tokens" || what === "nanoUsd";
}

function finite(amount: number): number {
  return Number.isFinite(amount) ? Math.max(0, amount) : 0;
}
