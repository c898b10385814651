import { declaredWindowSeconds } from "../../core/declared-window.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
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

/** Allowances for the target of a manifest: its window, and whether its clock is moved by us. */
export function tolerancesFor(manifest: ManifestFacts): Tolerances {
  const windowMs = 1000 * declaredWindowSeconds(manifest);
  // A virtual clock is that of this machine: it lags between advances, but does not drift over the months that it skips.
  const virtual = manifest.control !== null;
  return virtual ? { ...defaultTolerances, windowMs, virtualLagMs: 1200, driftRatio: 0 } : { ...defaultTolerances, windowMs };
}

/** Requests per millisecond that the limit allows on average. */
export function ratePerMs(limit: number, tolerances: Tolerances): number {
  return (limit / tolerances.windowMs) * (1 + tolerances.rateRatio);
}

/** The coarsest batch in which a lawful bucket is assumed to refill, ms. */
export const coarsestBatchMs = 12_000;
