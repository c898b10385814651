import type { Manifest } from "../../core/manifest.ts";
import type { Blocker } from "../../load/profile/blocker.ts";
import { planLoad } from "../../load/plan/plan-load.ts";
import { profileBlockers } from "../../load/plan/profile-blockers.ts";
import type { LoadedProfile } from "../../load/plan/read-profile.ts";
import { workloadBlockers } from "../../load/profile/workload-blockers.ts";
import type { RunOptions } from "../run-options.ts";
import type { LoadPlans } from "./load-plans.ts";

export interface LoadRefusal {
  readonly profile: string;
  readonly blockers: readonly Blocker[];
}

/** Profiles that would not be run, as far as it is known before the target was asked anything. */
export function findLoadRefusals(
  { profiles }: Pick<RunOptions, "profiles">,
  manifest: Manifest,
  plans: LoadPlans,
): readonly LoadRefusal[] {
  return profiles.flatMap((loaded) => {
    const blockers = blockersOf(loaded, manifest, plans);
    return blockers.length === 0 ? [] : [{ profile: loaded.profile.id, blockers }];
  });
}

/** Whether the run would end as a mistake of its manifest, since nothing of it may be sent. */
export function refusesEverything(
  { stages, profiles, manifest }: Pick<RunOptions, "stages" | "profiles" | "manifest">,
  refusals: readonly LoadRefusal[],
): boolean {
  return manifest !== null && stages.every((stage) => stage === "load") && refusals.length === profiles.length;
}

function blockersOf(loaded: LoadedProfile, manifest: Manifest, plans: LoadPlans): readonly Blocker[] {
  const { profile } = loaded;
  const blockers = [...profileBlockers(profile, manifest, plans(loaded, manifest)), ...workloadBlockers(profile, manifest)];
  // A run chooses models that the manifest does not name.
  return blockers.filter(({ code }) => code !== "no-model" && !(code === "no-schedule" && isSolvedByLimit(loaded, manifest)));
}

/** A run asks the target for a limit that nobody declared. */
function isSolvedByLimit({ profile, trace }: LoadedProfile, manifest: Manifest): boolean {
  const assumed = { ...manifest, limits: { ...manifest.limits, requestsPerMinute: 1 } };
  return planLoad({ profile, manifest: assumed, seed: 0, trace }).problem === null;
}
