import type { RepeatPlace } from "../core/result/load-result.ts";
import { type FlagArrivals, flagProfile, type FlagProfile } from "../load/plan/flag-profile.ts";
import { leastRepeats } from "../load/judge/least-repeats.ts";
import { profileContent } from "../load/plan/profile-content.ts";
import { addProbe } from "../load/plan/add-probe.ts";
import { defaultProbe } from "../load/profile/probe-policy.ts";
import { type LoadedProfile, loadProfile, profileText } from "../load/plan/read-profile.ts";
import { spreadProbe } from "../load/plan/spread-probe.ts";
import type { LoadFlags } from "./load-flags.ts";
import type { RunFlags } from "./run-flags.ts";
import { UsageError } from "./usage-error.ts";
import { withWorkers } from "./with-workers.ts";

/** Runs of `--repeat-until` without `--repeat`. */
const defaultMostRepeats = 10;

type ProfileFlags = LoadFlags & Pick<RunFlags, "profile" | "workers">;

/** The profiles that the flags name, or the one that they describe. */
export function chooseProfiles(flags: ProfileFlags): readonly LoadedProfile[] {
  const made = profileOfFlags(flags);
  const chosen = made === null ? namesOf(flags).map((name) => withProbe(loadProfile(name), flags.probe)) : [made.loaded];
  return chosen.flatMap((loaded) => repeated(withWorkers(loaded, flags.workers), repeatsOf(flags)));
}

/** `--probe` adds one to a profile without, and names the key of any. */
function withProbe(loaded: LoadedProfile, wanted: ProfileFlags["probe"]): LoadedProfile {
  if (wanted === undefined) return loaded;
  const own = loaded.profile.probe ?? defaultProbe;
  const probe = wanted === true ? own : { ...own, key: wanted };
  const profile = spreadProbe({ ...loaded.profile, probe });
  return { ...loaded, profile: { ...profile, content: profileContent(profile, loaded.trace) } };
}

type Repeats = Pick<RepeatPlace, "runs" | "until">;

/** `--repeat` is how often, and with `--repeat-until` how often at most. */
function repeatsOf({ repeat, repeatUntil }: ProfileFlags): Repeats {
  if (repeatUntil === undefined) return { runs: repeat ?? 1 };
  const runs = repeat ?? defaultMostRepeats;
  if (runs < leastRepeats)
    throw new UsageError(
      `--repeat-until ends a load after ${leastRepeats} runs at the earliest, and --repeat allows ${runs}`,
      `give --repeat ${leastRepeats} or more, or leave one of them out`,
    );
  return { runs, until: repeatUntil };
}

/** Each run has an id of its own, from which its requests are drawn. */
function repeated(loaded: LoadedProfile, repeats: Repeats): readonly LoadedProfile[] {
  const { runs, until } = repeats;
  if (runs === 1) return [loaded];
  const { id, title } = loaded.profile;
  const outOf = `of ${until === undefined ? "" : "at most "}${runs}`;
  return Array.from({ length: runs }, (_, place) => {
    const number = place + 1;
    const named = { id: `${id}-run${number}`, title: `${title}, run ${number} ${outOf}`, repeat: { of: id, number, ...repeats } };
    return { ...loaded, profile: { ...loaded.profile, ...named } };
  });
}

/** The file of the one profile that is chosen. */
export function printedProfile(flags: ProfileFlags): string {
  if (repeatsOf(flags).runs > 1)
    throw new UsageError(
      "--repeat and --repeat-until repeat a load, and no profile holds them",
      "leave them out here, and give them beside --profile",
    );
  const made = profileOfFlags(flags);
  if (made !== null) return made.text;
  const [name, ...more] = namesOf(flags);
  if (name === undefined || more.length > 0)
    throw new UsageError("--print-profile prints one profile", "name one with --profile");
  // A file that is no profile is reported as that.
  loadProfile(name);
  const text = profileText(name);
  return flags.probe === undefined ? text : addProbe(text, flags.probe === true ? null : flags.probe);
}

function namesOf({ profile }: ProfileFlags): readonly string[] {
  return profile ?? ["smoke"];
}

/** Flags that mean something only beside the load that they belong to. */
const details = {
  from: "--from",
  to: "--to",
  searchRequests: "--search-requests",
  duration: "--duration",
  warmUp: "--warm-up",
  promptTokens: "--prompt-tokens",
  outputTokens: "--output-tokens",
  gate: "--gate",
  cacheAudit: "--cache-audit",
} as const;

function profileOfFlags(flags: ProfileFlags): FlagProfile | null {
  const arrivals = arrivalsOf(flags);
  if (arrivals === null) {
    const stray = Object.entries(details).find(([member]) => flags[member as keyof typeof details] !== undefined);
    if (stray !== undefined) {
      throw new UsageError(
        `${stray[1]} belongs to a load that flags describe, and there is no --rate, --concurrency or --search`,
        "add one of them; a profile in a file holds all of this itself (--print-profile prints one)",
      );
    }
    return null;
  }
  if (flags.profile !== undefined) {
    throw new UsageError(
      "--profile names a load, and --rate, --concurrency and --search describe another",
      "use one of them; --print-profile prints the profile of the flags as a file",
    );
  }
  const { duration, warmUp = 0, promptTokens = 256, outputTokens = 64, gate = [], probe, cacheAudit = false } = flags;
  const isSearch = "of" in arrivals;
  if (isSearch && warmUp > 0)
    throw new UsageError("--warm-up belongs to --rate and --concurrency", "each trial of a search leaves its own beginning out");
  const length = isSearch ? {} : { durationSeconds: duration ?? 30 };
  return flagProfile({
    arrivals,
    ...length,
    warmUpSeconds: warmUp,
    promptTokens,
    outputTokens,
    gates: gate,
    cacheAudit,
    ...(probe === undefined ? {} : { probe: probe === true ? {} : { key: probe } }),
  });
}

function arrivalsOf({ rate, concurrency, search, from, to, searchRequests, duration }: ProfileFlags): FlagArrivals | null {
  if ([rate, concurrency, search].filter((given) => given !== undefined).length > 1) {
    throw new UsageError("--rate, --concurrency and --search exclude each other: each is a load of its own", "use one of them");
  }
  if (search !== undefined) {
    return {
      kind: "capacity-search",
      of: search,
      ...(from === undefined ? {} : { from }),
      ...(to === undefined ? {} : { to }),
      ...(searchRequests === undefined ? {} : { maxRequests: searchRequests }),
      ...(duration === undefined ? {} : { maxSeconds: duration }),
    };
  }
  const stray = searchDetails.find((member) => ({ from, to, searchRequests })[member] !== undefined);
  if (stray !== undefined) throw new UsageError(`${details[stray]} belongs to --search`, "leave it out, or add --search");
  if (rate !== undefined) return { kind: "poisson", ratePerSecond: rate };
  return concurrency === undefined ? null : { kind: "closed", concurrency };
}

const searchDetails = ["from", "to", "searchRequests"] as const;
