import type { Manifest } from "../../core/manifest.ts";
import type { LoadProfile } from "../../load/profile/load-profile.ts";
import { type LoadPlan, planInputs, planLoad } from "../../load/plan/plan-load.ts";
import type { LoadedProfile } from "../../load/plan/read-profile.ts";

/** The plan of a profile against a manifest. */
export type LoadPlans = (loaded: LoadedProfile, manifest: Manifest) => LoadPlan;

/**
 * Plans the profiles of one run. The stages of a run ask for the same plan again and again, and that of a large profile takes seconds:
 * it is made again only where the run has learned something that it follows from, such as models or a limit.
 */
export function createLoadPlans(seed: number): LoadPlans {
  const made = new Map<LoadProfile, { readonly manifest: Manifest; readonly plan: LoadPlan }>();
  return ({ profile, trace }, manifest) => {
    const before = made.get(profile);
    if (before !== undefined && planInputs.every((part) => before.manifest[part] === manifest[part])) return before.plan;
    const plan = planLoad({ profile, manifest, seed, trace });
    made.set(profile, { manifest, plan });
    return plan;
  };
}
