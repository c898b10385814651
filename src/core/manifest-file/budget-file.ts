import type { PositiveInteger } from "./positive-integer.ts";

export interface BudgetFile {
  /** a positive integer: requests of a run, or null: no bound */
  readonly maxRequests?: PositiveInteger | null;
  /** a positive integer: tokens of a run, or null: no bound */
  readonly maxTokens?: PositiveInteger | null;
  /**
   * minutes of real time, or null: 120 for all stages but load; exams of limits leave out by name what takes longer
   * @exclusiveMinimum 0
   * @maximum 10080
   */
  readonly maxMinutes?: number | null;
  /**
   * US dollars of a run in the worst case, at the given prices, or null: no bound
   * @minimum 0
   */
  readonly maxCostUsd?: number | null;
}
