/** The quantities that a budget counts; money in billionths of a US dollar, so that sums are exact. */
export const budgetCounted = ["requests", "tokens", "nanoUsd", "promptTokens", "completionTokens"] as const;
export type BudgetCounted = (typeof budgetCounted)[number];

/** Sums before anything is counted. */
export function zeroSums(): Record<BudgetCounted, number> {
  return { requests: 0, tokens: 0, nanoUsd: 0, promptTokens: 0, completionTokens: 0 };
}

/** The memory of the sums of a budget: of this thread, or shared by several threads. */
export interface BudgetCounters {
  /** Adds a whole amount unless the sum would exceed the bound; null is no bound. */
  take(what: BudgetCounted, amount: number, bound: number | null): boolean;
  add(what: BudgetCounted, amount: number): void;
  value(what: BudgetCounted): number;
}

export function createLocalCounters(): BudgetCounters {
  const sums = zeroSums();
  return {
    take(what, amount, bound) {
      if (bound !== null && sums[what] + amount > bound) return false;
      sums[what] += amount;
      return true;
    },
    add(what, amount) {
      sums[what] += amount;
    },
    value: (what) => sums[what],
  };
}

/** Memory for `createSharedCounters`, all zero. */
export function allocateSharedCounters(): SharedArrayBuffer {
  return new SharedArrayBuffer(8 * budgetCounted.length);
}

/** Counters that every thread with the same memory adds to; the bound holds for all of them together at every moment. */
export function createSharedCounters(memory: SharedArrayBuffer): BudgetCounters {
  const sums = new BigInt64Array(memory);
  const slot = (what: BudgetCounted): number => budgetCounted.indexOf(what);
  return {
    take(what, amount, bound) {
      const at = slot(what);
      const most = bound === null ? null : BigInt(Math.floor(bound));
      for (let seen = Atomics.load(sums, at); ;) {
        const wanted = seen + BigInt(amount);
        if (most !== null && wanted > most) return false;
        // Another thread may have added in between: then the sum is looked at again.
        const found = Atomics.compareExchange(sums, at, seen, wanted);
        if (found === seen) return true;
        seen = found;
      }
    },
    add: (what, amount) => void Atomics.add(sums, slot(what), BigInt(amount)),
    value: (what) => Number(Atomics.load(sums, slot(what))),
  };
}
