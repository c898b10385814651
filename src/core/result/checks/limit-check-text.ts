/** Which part of a limiter's behaviour a check is about; charts mark requests by it. */
export type LimitCheckSubject = "admission" | "remaining" | "limit" | "reset" | "wait" | "isolation" | "algorithm" | "form";

/** The text of a check, without its id and the table that it stands in. */
export interface LimitCheckText {
  /** The statement that holds when the check passes. */
  readonly title: string;
  readonly subject: LimitCheckSubject;
  /** The consequence of a violation for those who use or run the service. */
  readonly violation: string;
  /** `must`: the specification states it; `implied`: the opposite makes a statement of the service false; `should`: advice. */
  readonly level: "must" | "implied" | "should";
  /** Requirement ids that the check decides, the one that it stands for first. */
  readonly requirements: readonly string[];
}

/** The checks of one policy, under the heading that they have in the documentation. */
export interface LimitCheckTable<Checks> {
  readonly title: string;
  readonly checks: Checks;
}
