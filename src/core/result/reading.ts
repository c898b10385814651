/** A place where the specification is silent or contradicts itself, with the reading that was decided. */
export interface Reading {
  /** Frozen: `AMB-07`. */
  readonly id: string;
  readonly question: string;
  readonly reading: string;
}
