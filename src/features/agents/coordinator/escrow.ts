import type { Manifest } from "../../../core/manifest.ts";
import { type Amounts, type Escrowed, escrowed } from "../budget/escrow-counters.ts";
import { type BudgetCounted, budgetCounted, type BudgetCounters, zeroSums } from "../../../wire/budget/budget-counters.ts";

/** The rest of the budget of a run, lent to agents. */
export interface Escrow {
  /** The amounts that the agents may spend together. */
  readonly bounds: Amounts;
  /** An agent has accounted for what it used. */
  spent(sums: Readonly<Record<BudgetCounted, number>>): void;
  /** An agent was lost: what it drew counts as used. Null: nobody knows what it drew. */
  lost(drawn: Amounts | null, sentAtLeast: number): void;
  /** Counts what was used and frees the rest, once. */
  close(): void;
}

/** Sets aside all that is left; as long as it is lent nothing else of the run can be sent. */
export function openEscrow(counters: BudgetCounters, budget: Manifest["budget"]): Escrow {
  const whole: Readonly<Record<Escrowed, number | null>> = {
    requests: budget.maxRequests,
    tokens: budget.maxTokens,
    // As the budget itself bounds it: prices are no binary fractions.
    nanoUsd: budget.maxCostUsd === null ? null : Math.ceil(budget.maxCostUsd * 1e9) + 1000,
  };
  const left = (what: Escrowed): number | null => {
    const bound = whole[what];
    return bound === null ? null : Math.max(0, Math.floor(bound) - counters.value(what));
  };
  const bounds = { requests: left("requests"), tokens: left("tokens"), nanoUsd: left("nanoUsd") };
  for (const what of escrowed) counters.add(what, bounds[what] ?? 0);
  const used = zeroSums();
  let unknown = false;
  let closed = false;
  return {
    bounds,
    spent(sums) {
      for (const what of budgetCounted) used[what] += sums[what];
    },
    lost(drawn, sentAtLeast) {
      if (drawn === null) unknown = true;
      for (const what of escrowed) used[what] += drawn?.[what] ?? 0;
      if ((drawn?.requests ?? 0) < sentAtLeast) used.requests += sentAtLeast - (drawn?.requests ?? 0);
    },
    close() {
      if (closed) return;
      closed = true;
      for (const what of budgetCounted) counters.add(what, used[what]);
      // If the drawn amount is not known, all of it counts as used.
      for (const what of escrowed) counters.add(what, unknown ? -Math.min(bounds[what] ?? 0, used[what]) : -(bounds[what] ?? 0));
    },
  };
}
