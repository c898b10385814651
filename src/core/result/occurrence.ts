/** One answer on one requirement, from a judge or a limit check. */
export interface Occurrence {
  readonly requirement: string;
  readonly outcome: "pass" | "fail" | "advisory" | "observed" | "inconclusive";
  /** Sequence numbers, the subject first. */
  readonly exchanges: readonly number[];
  /** Mandatory for every outcome but pass. */
  readonly message?: string;
  /** Part of the message: the kind of response. Violations that differ only in it are told as one finding. */
  readonly place?: string;
  readonly expected?: string;
  readonly observed?: string;
  /** For outcome observed: the answer to the open question, equal for equal behaviour. */
  readonly answer?: string;
}
