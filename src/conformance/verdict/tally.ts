import type { PassiveViolation } from "../../core/result/result.ts";

/** Answers of one kind that a judge accuses of the same; the message is that of the first of them. */
export interface Tally extends Omit<PassiveViolation, "count" | "outOf" | "exchanges"> {
  count: number;
  readonly exchanges: number[];
}
