import type { Manifest } from "../../core/manifest.ts";
import type { PlannedPart } from "../../core/progress.ts";
import type { LimitsPlan } from "../../limits/exam/plan-limits.ts";
import { calibrationMs } from "../../load/send/calibrate.ts";
import type { RunOptions } from "../run-options.ts";
import { conformancePart } from "./conformance-part.ts";
import { findLoadRefusals } from "./find-load-refusals.ts";
import type { LoadPlans } from "./load-plans.ts";

/** The parts of a run in their order, with the real time that each is known to take. */
export function planParts(
  options: RunOptions,
  manifest: Manifest,
  limits: LimitsPlan | null,
  plans: LoadPlans,
): readonly PlannedPart[] {
  const conformance = conformancePart(options, manifest);
  const parts: PlannedPart[] = conformance === null ? [] : [conformance];
  const isVirtual = manifest.control !== null;
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
