import type { Manifest } from "../core/manifest.ts";
import type { LoadProfile } from "./load-profile.ts";
import type { LoadPlan } from "./plan-load.ts";

/** Requests per second that need no permission on a target that is not this machine. */
const politeRps = 5;

/** Key that a profile sends with. Profiles name `load` unless they are about another key; without one it is `primary`. */
export function loadKeyName(wanted: string, manifest: Pick<Manifest, "keys">): string {
  return wanted === "load" && manifest.keys["load"] === undefined ? "primary" : wanted;
}

/** Everything in the manifest that stands against a profile, each in a few words; empty when it may run. */
export function profileBlockers(profile: LoadProfile, manifest: Manifest, plan: LoadPlan): readonly string[] {
  const problems: string[] = [];
  const key = loadKeyName(profile.key, manifest);
  if (manifest.keys[key] === undefined) problems.push(`no key named ${key} in the manifest`);
  const { permissions } = manifest;
  for (const need of profile.needs) {
    if (need === "exhaustLimits" && !permissions.exhaustLimits) problems.push("permissions.exhaustLimits is not granted");
    if (need === "patchSettings" && !permissions.patchSettings) problems.push("permissions.patchSettings is not granted");
    if (need === "spend" && permissions.spendUpToCents <= 0) problems.push("permissions.spendUpToCents is 0");
  }
  const allowed = permissions.loadUpToRps ?? politeRps;
  if (!isLoopback(manifest.target.baseUrl)) {
    const asked = askedRps(profile, plan);
    if (asked > allowed) {
      problems.push(
        `it sends up to ${asked} requests a second to a target that is not this machine; permissions.loadUpToRps allows ${allowed}`,
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

/** Highest rate that may be sent: of a closed loop unknown, so it needs a permission that is no smaller than its slots. */
function askedRps(profile: LoadProfile, plan: LoadPlan): number {
  const { arrivals } = profile;
  if (arrivals.kind === "closed") return arrivals.concurrency;
  if (arrivals.kind === "bisect") return arrivals.highPerSecond;
  return plan.peakPerSecond;
}

export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
