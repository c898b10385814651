/** Classes that are never mixed in one latency distribution. */
export type OutcomeClass =
  | "ok"
  | "rate-limited"
  | "burst-limited"
  | "spend-capped"
  | "client-error"
  | "server-error"
  | "transport-error"
  /** Not finished when a deadline of ours passed: the time-out of the profile, no error of the target by that alone. */
  | "timed-out"
  /** Cut off by the generator itself, at the end of its grace after an interrupt or the last send. */
  | "interrupted"
  /** Of a client that goes away on purpose (`leave` of the workload), whether its answer had ended before or not. */
  | "left"
  | "not-sent";

/**
 * The reason for which a planned send was held back: a wait that the target promised and the profile obeys, `maxInFlight` of
 * the profile, the budget of the run, or an earlier turn of its conversation that was not answered.
 */
export type NotSentReason = "retry-after" | "max-in-flight" | "budget" | "cancelled";
