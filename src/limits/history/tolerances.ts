/** Allowances that every check states beside its verdict; instants in milliseconds. */
export interface Tolerances {
  /** Window length: one minute unless the manifest declares another. */
  readonly windowMs: number;
  /** Coarseness of the limiter's own clock; several products floor it to whole seconds. */
  readonly granularityMs: number;
  /** Clock differences between instances behind one address. */
  readonly fuzzMs: number;
  /** Limiter clock against the clock that writes Date. */
  readonly clockMs: number;
  /** How far a virtual clock may lag behind ours between two advances; 0 where time is real. */
  readonly virtualLagMs: number;
  /** Relative drift of the service's clock against ours. */
  readonly driftRatio: number;
  /** Relative deviation of a refill rate. */
  readonly rateRatio: number;
}

export const defaultTolerances: Tolerances = {
  windowMs: 60_000,
  granularityMs: 1000,
  fuzzMs: 400,
  clockMs: 1000,
  virtualLagMs: 0,
  driftRatio: 0.0005,
  rateRatio: 0.01,
};

export function listTolerances(tolerances: Tolerances): Readonly<Record<string, number>> {
  return { ...tolerances };
}
