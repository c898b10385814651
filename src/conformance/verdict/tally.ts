/** Answers of one kind that a judge accuses of the same. */
export interface Tally {
  readonly requirement: string;
  readonly stage: string;
  readonly subject: string;
  /** Of the first of them. */
  readonly message: string;
  /** As `Violation.kind`. */
  readonly kind: string;
  /** `advisory`: of a lenient reading. */
  readonly outcome: "fail" | "advisory";
  count: number;
  readonly exchanges: number[];
}
