import { allCases } from "../../../suites/all-cases.ts";
import { planConformance } from "../../conformance/plan/plan-conformance.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { PlannedPart } from "../../core/progress.ts";
import type { LimitsPlan } from "../../limits/exam/plan-limits.ts";
import { calibrationMs } from "../../load/send/calibrate.ts";
import type { RunOptions } from "../run-options.ts";
import { findLoadRefusals } from "./find-load-refusals.ts";
import type { LoadPlans } from "./load-plans.ts";
import { selectSuites } from "../select-suites.ts";

/** The parts of a run in their order, with the real time that each is known to take. */
export function planParts(
  options: RunOptions,
  manifest: Manifest,
  limits: LimitsPlan | null,
  plans: LoadPlans,
): readonly PlannedPart[] {
  const parts: PlannedPart[] = [];
  const isVirtual = manifest.control !== null;
  if (options.stages.includes("conformance")) {
    const { suites, cases, requirements } = { ...options, suites: selectSuites(options) };
    const { cost } = planConformance(allCases, manifest, { suites, cases, requirements });
    parts.push({ stage: "conformance", plannedRequests: cost.requests, etaMs: isVirtual ? null : cost.minutes * 60_000 });
  }
  if (limits !== null) {
    parts.push({ stage: "limits", plannedRequests: limits.requests, etaMs: isVirtual ? null : limits.minutes * 60_000 });
  }
  const refused = new Set(findLoadRefusals(options, manifest, plans).map(({ profile }) => profile));
  const loads = options.profiles.filter(({ profile }) => !refused.has(profile.id));
  for (const [index, loaded] of loads.entries()) {
    const plan = plans(loaded, manifest);
    const beforeMs = index === 0 ? calibrationMs : 0;
    parts.push({
      stage: "load",
      plannedRequests: plan.attempts === null ? null : plan.sends.length,
      etaMs: plan.durationMs + beforeMs,
    });
  }
  return parts;
}
