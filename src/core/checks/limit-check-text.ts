/** What a limit check judges: a limit of the service, or requests that are queued in a cooldown. */
export type LimitCheckPolicy = "requests" | "tokens" | "burst" | "queue" | "spend";

/** Which part of a limiter's behaviour a check is about; charts mark requests by it. */
export type LimitCheckSubject = "admission" | "remaining" | "limit" | "reset" | "wait" | "isolation" | "algorithm" | "form";

/** What a check is about, without its id. */
export interface LimitCheckText {
  /** What holds when the check passes. */
  readonly title: string;
  readonly policy: LimitCheckPolicy;
  readonly subject: LimitCheckSubject;
  /** What a violation means for whoever uses or runs the service. */
  readonly violation: string;
  /** `must`: the specification states it; `implied`: the opposite makes a statement of the service false; `should`: advice. */
  readonly level: "must" | "implied" | "should";
  /** Requirement ids that the check decides, the one that it stands for first. */
  readonly requirements: readonly string[];
}
