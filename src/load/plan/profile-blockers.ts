import { isLoopback } from "../../core/is-loopback.ts";
import type { Manifest } from "../../core/manifest.ts";
import { shapeOf } from "../arrivals/arrival-kinds.ts";
import type { Blocker } from "../profile/blocker.ts";
import { loadKeyName } from "../profile/load-key-name.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { probeKeyName } from "../profile/probe-policy.ts";
import type { LoadPlan } from "./plan-load.ts";

/** Requests per second that need no permission on a target that is not this machine. */
const politeRps = 5;

/** Everything in the manifest that stands against a profile; empty when it may run. */
export function profileBlockers(profile: LoadProfile, manifest: Manifest, plan: LoadPlan): readonly Blocker[] {
  const found: Blocker[] = [];
  if (plan.problem !== null) found.push({ code: "no-schedule", problem: plan.problem });
  const key = loadKeyName(profile.key, manifest);
  if (manifest.keys[key] === undefined) found.push({ code: "no-key", key });
  found.push(...probeBlockers(profile, manifest));
  const { permissions, budget, target } = manifest;
  if (target.proxy != null) found.push({ code: "proxy", proxy: new URL(target.proxy).origin });
  for (const need of profile.needs) {
    const isPermitted = need === "spend" ? permissions.spendUpToCents > 0 : permissions[need];
    if (!isPermitted) found.push({ code: "not-permitted", need });
  }
  const allowed = permittedRps(manifest);
  if (allowed !== null) {
    if (profile.engine === "autocannon") found.push({ code: "no-rate-to-hold" });
    // Those of a probe are at least half a second apart.
    const asked = askedRps(profile, plan) + (profile.probe === undefined ? 0 : Math.ceil(1 / profile.probe.everySeconds));
    if (asked > allowed) found.push({ code: "rate", asked, allowed, isDeclared: permissions.loadUpToRps !== null });
  }
  // Tokens and cost are bounded while it runs; a request budget that cannot hold the schedule is known before.
  const planned = plan.sends.length;
  if (budget.maxRequests !== null && planned > budget.maxRequests)
    found.push({ code: "requests", planned, allowed: budget.maxRequests });
  return found;
}

/** A probe shows how another customer is served: its key is there, and is not the one that sends the load. */
function probeBlockers({ probe, key }: LoadProfile, manifest: Manifest): readonly Blocker[] {
  if (probe === undefined) return [];
  const name = probeKeyName(probe.key, manifest);
  const own = manifest.keys[name]?.secret;
  if (own === undefined) return [{ code: "no-probe-key", key: name }];
  const isSame = own === manifest.keys[loadKeyName(key, manifest)]?.secret;
  return isSame ? [{ code: "same-probe-key", key: name }] : [];
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
