import { allCases } from "../../suites/all-cases.ts";
import { planConformance } from "../conformance/plan/plan-conformance.ts";
import { limitProbes } from "../limits/exam/limit-probes.ts";
import { mostRequests } from "../limits/probe/schedule-steps.ts";
import type { RunOptions } from "./run-options.ts";
import type { LoadPlans } from "./stages/load-plans.ts";
import { selectSuites } from "./select-suites.ts";

/** Each request is repeated twice at most, and a case once more to confirm what it showed. */
const sendsOfOne = 2 * 3;
/** Requests beside those of cases: looks at the target, and reports that are asked for again until they have settled. */
const besideCases = 400;

/**
 * The options with a bound on requests where the manifest sets none: what the stages plan at most, so that no target draws more out
 * of a run. A closed loop sends as many as are answered, and bursts sized by a limit that nobody declared as many as the target
 * says: there time alone is the bound. Agents take their shares of what the manifest sets.
 */
export function boundRequests(options: RunOptions, plans: LoadPlans): RunOptions {
  const { manifest, agents } = options;
  if (manifest === null || manifest.budget.maxRequests !== null || agents !== undefined) return options;
  const maxRequests = mostOf(options, manifest, plans);
  return maxRequests === null ? options : { ...options, manifest: { ...manifest, budget: { ...manifest.budget, maxRequests } } };
}

function mostOf(options: RunOptions, manifest: NonNullable<RunOptions["manifest"]>, plans: LoadPlans): number | null {
  const { stages, cases, requirements, profiles } = options;
  const { cost } = planConformance(allCases, manifest, { suites: selectSuites(options), cases, requirements });
  const before = stages.includes("conformance") ? sendsOfOne * cost.requests : 0;
  const exams = stages.includes("limits") ? Object.keys(limitProbes).length * mostRequests : 0;
  const load = profiles.map((loaded) => {
    const { worstCase, problem } = plans(loaded, manifest);
    return problem === null ? worstCase.requests : null;
  });
  return load.reduce<number | null>(
    (sum, requests) => (sum === null || requests === null ? null : sum + requests),
    besideCases + before + exams,
  );
}
