/** Stamps of the network read that is being fed. */
export interface ReadStamp {
  /** Ordinal of the read within the response, from 0. */
  readonly read: number;
  readonly atMs: number;
  readonly earliestMs: number;
  readonly latestMs: number;
}
