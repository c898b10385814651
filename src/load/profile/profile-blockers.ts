import { isLoopback } from "../../core/is-loopback.ts";
import type { Manifest } from "../../core/manifest.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import { loadKeyName } from "./load-key-name.ts";
import type { LoadProfile } from "./load-profile.ts";
import type { LoadPlan } from "./plan-load.ts";

/** Requests per second that need no permission on a target that is not this machine. */
const politeRps = 5;

/** Everything in the manifest that stands against a profile, each in a few words; empty when it may run. */
export function profileBlockers(profile: LoadProfile, manifest: Manifest, plan: LoadPlan): readonly string[] {
  const problems: string[] = plan.problem === null ? [] : [plan.problem];
  const key = loadKeyName(profile.key, manifest);
  if (manifest.keys[key] === undefined) problems.push(`no key named ${key} in the manifest`);
  const { permissions } = manifest;
  for (const need of profile.needs) {
    if (need === "exhaustLimits" && !permissions.exhaustLimits) problems.push("permissions.exhaustLimits is not granted");
    if (need === "patchSettings" && !permissions.patchSettings) problems.push("permissions.patchSettings is not granted");
    if (need === "spend" && permissions.spendUpToCents <= 0) problems.push("permissions.spendUpToCents is 0");
  }
  const allowed = permittedRps(manifest);
  if (allowed !== null) {
    if (profile.engine === "autocannon")
      problems.push(
        "autocannon cannot be held to a rate, so it runs against this machine only, and where permissions.loadUpToRps is null",
      );
    const asked = askedRps(profile, plan);
    if (asked > allowed) {
      problems.push(
        `it sends up to ${asked} requests in one second${permissions.loadUpToRps === null ? " to a target that is not this machine" : ""}; permissions.loadUpToRps allows ${allowed}`,
      );
    }
  }
  const { budget } = manifest;
  const over = (worst: number | null, bound: number | null): boolean => worst !== null && bound !== null && worst > bound;
  // Tokens and cost are bounded while it runs; a request budget that cannot hold the schedule is known before.
  if (over(plan.sends.length > 0 ? plan.sends.length : null, budget.maxRequests)) {
    problems.push(`it plans ${plan.sends.length} requests, the budget holds ${budget.maxRequests}`);
  }
  return problems;
}

/** Requests per second that the target may be sent: as declared, else a handful, and any number on this machine (null). */
export function permittedRps({ target, permissions }: Manifest): number | null {
  // A port of this machine may be the end of a tunnel: what is declared holds for it as well.
  return permissions.loadUpToRps ?? (isLoopback(new URL(target.baseUrl).hostname) ? null : politeRps);
}

/** The most that falls due in any one second of the plan; whatever comes on top of it is held back while it runs. */
function askedRps({ arrivals }: LoadProfile, plan: LoadPlan): number {
  const shape = shapeOf(arrivals);
  // Later turns come when they are due: the rate must hold them all.
  return shape.name === "conversations" ? Math.max(plan.peakPerSecond, Math.ceil(shape.mostPerSecond)) : plan.peakPerSecond;
}
