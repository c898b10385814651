import { addTotals, countTotals, type Totals } from "./count-totals.ts";
import type { LoadRecord } from "./load-record.ts";
import type { Overflow } from "./overflow.ts";

/** The totals of the records that were kept and of those that were only counted; null: all were kept. */
export function countWhole(records: readonly LoadRecord[], overflow: Overflow | null): Totals {
  const totals = countTotals(records);
  for (const counted of overflow?.totals.values() ?? []) addTotals(totals, counted);
  return totals;
}
