import { casesOfRun } from "../cases-of-run.ts";
import { planConformance } from "../../conformance/plan/plan-conformance.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { PlannedPart } from "../../core/progress.ts";
import type { RunOptions } from "../run-options.ts";
import { selectSuites } from "../select-suites.ts";

/** The conformance stage of a run, with the real time that it is known to take; null where it is not asked for. */
export function conformancePart(options: RunOptions, manifest: Manifest): PlannedPart | null {
  if (!options.stages.includes("conformance")) return null;
  const { suites, cases, requirements } = { ...options, suites: selectSuites(options) };
  const { cost } = planConformance(casesOfRun(options), manifest, { suites, cases, requirements });
  const etaMs = manifest.control === null ? cost.minutes * 60_000 : null;
  return { stage: "conformance", plannedRequests: cost.requests, etaMs };
}
