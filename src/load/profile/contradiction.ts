/** Members of a profile that are right one by one and wrong together. */
export interface Contradiction {
  /** The member to mend: `["arrivals", "ratesPerSecond"]`. */
  readonly path: readonly string[];
  readonly message: string;
}
