/** Which part of a limiter's behaviour a check is about; charts mark requests by it. */
export type LimitCheckSubject = "admission" | "remaining" | "limit" | "reset" | "wait" | "isolation" | "algorithm" | "form";

/** What a check is about, without its id and the table that it stands in. */
export interface LimitCheckText {
  /** What holds when the check passes. */
  readonly title: string;
  readonly subject: LimitCheckSubject;
  /** What a violation means for whoever uses or runs the service. */
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
