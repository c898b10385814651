import type { ManifestFacts } from "../../core/manifest.ts";
import { defaultTolerances, type Tolerances } from "./tolerances.ts";

/** Allowances for the target of a manifest: its window, and whether its clock is moved by us. */
export function tolerancesFor(manifest: ManifestFacts): Tolerances {
  const seconds = manifest.features["windowSeconds"];
  const windowMs = typeof seconds === "number" && seconds > 0 ? seconds * 1000 : defaultTolerances.windowMs;
  // A virtual clock is that of this machine: it lags between advances, but does not drift over the months that it skips.
  const virtual = manifest.control !== null;
  return virtual ? { ...defaultTolerances, windowMs, virtualLagMs: 1200, driftRatio: 0 } : { ...defaultTolerances, windowMs };
}
