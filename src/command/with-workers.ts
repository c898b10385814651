import type { LoadedProfile } from "../load/plan/read-profile.ts";
import type { RunFlags } from "./run-flags.ts";

/** The flag outranks the profile. */
export function withWorkers(loaded: LoadedProfile, workers: RunFlags["workers"]): LoadedProfile {
  return workers === undefined ? loaded : { ...loaded, profile: { ...loaded.profile, workers } };
}
