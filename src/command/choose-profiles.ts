import { type FlagArrivals, flagProfile, type FlagProfile } from "../load/plan/flag-profile.ts";
import { type LoadedProfile, loadProfile, profileText } from "../load/plan/read-profile.ts";
import type { LoadFlags } from "./load-flags.ts";
import type { RunFlags } from "./run-flags.ts";
import { UsageError } from "./usage-error.ts";
import { withWorkers } from "./with-workers.ts";

type ProfileFlags = LoadFlags & Pick<RunFlags, "profile" | "workers">;

/** The profiles that the flags name, or the one that they describe. */
export function chooseProfiles(flags: ProfileFlags): readonly LoadedProfile[] {
  const made = profileOfFlags(flags);
  const chosen = made === null ? namesOf(flags).map((name) => loadProfile(name)) : [made.loaded];
  return chosen.map((loaded) => withWorkers(loaded, flags.workers));
}

/** The file of the one profile that is chosen. */
export function printedProfile(flags: ProfileFlags): string {
  const made = profileOfFlags(flags);
  if (made !== null) return made.text;
  const [name, ...more] = namesOf(flags);
  if (name === undefined || more.length > 0)
    throw new UsageError("--print-profile prints one profile", "name one with --profile");
  // A file that is no profile is reported as that.
  loadProfile(name);
  return profileText(name);
}

function namesOf({ profile }: ProfileFlags): readonly string[] {
  return profile ?? ["smoke"];
}

/** Flags that mean something only beside the load that they belong to. */
const details = {
  duration: "--duration",
  warmUp: "--warm-up",
  promptTokens: "--prompt-tokens",
  outputTokens: "--output-tokens",
  gate: "--gate",
} as const;

function profileOfFlags(flags: ProfileFlags): FlagProfile | null {
  const arrivals = arrivalsOf(flags);
  if (arrivals === null) {
    const stray = Object.entries(details).find(([member]) => flags[member as keyof typeof details] !== undefined);
    if (stray !== undefined) {
      throw new UsageError(
        `${stray[1]} belongs to a load that flags describe, and there is no --rate or --concurrency`,
        "add one of them; a profile in a file holds all of this itself (--print-profile prints one)",
      );
    }
    return null;
  }
  if (flags.profile !== undefined) {
    throw new UsageError(
      "--profile names a load, and --rate and --concurrency describe another",
      "use one of them; --print-profile prints the profile of the flags as a file",
    );
  }
  const { duration = 30, warmUp = 0, promptTokens = 256, outputTokens = 64, gate = [] } = flags;
  return flagProfile({ arrivals, durationSeconds: duration, warmUpSeconds: warmUp, promptTokens, outputTokens, gates: gate });
}

function arrivalsOf({ rate, concurrency }: ProfileFlags): FlagArrivals | null {
  if (rate !== undefined && concurrency !== undefined) {
    throw new UsageError("--rate and --concurrency exclude each other: a rate does not wait for answers", "use one of them");
  }
  if (rate !== undefined) return { kind: "poisson", ratePerSecond: rate };
  return concurrency === undefined ? null : { kind: "closed", concurrency };
}
