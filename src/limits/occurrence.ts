/** One answer on one requirement, in the shape in which conformance judges give theirs. */
export interface LimitOccurrence {
  readonly requirement: string;
  readonly outcome: "pass" | "fail" | "advisory" | "observed" | "inconclusive";
  readonly exchanges: readonly number[];
  readonly message?: string;
  readonly expected?: string;
  readonly observed?: string;
  readonly answer?: string;
}
