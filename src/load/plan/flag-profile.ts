import { stringify } from "yaml";
import { describeArrivals } from "../arrivals/arrival-kinds.ts";
import { type LoadedProfile, parseProfile } from "./read-profile.ts";

/** A load that is described by a few values in place of a file. */
export interface FlagLoad {
  readonly arrivals: FlagArrivals;
  /** Absent: the arrivals say how long. */
  readonly durationSeconds?: number;
  readonly warmUpSeconds: number;
  readonly promptTokens: number;
  readonly outputTokens: number;
  readonly gates: readonly string[];
  /** Absent: no other key asks meanwhile. */
  readonly probe?: { readonly key?: string };
  /** Before the load the same prompts are asked again beside fresh ones. */
  readonly cacheAudit?: boolean;
}

export type FlagArrivals =
  | { readonly kind: "poisson"; readonly ratePerSecond: number }
  | { readonly kind: "closed"; readonly concurrency: number }
  | {
      readonly kind: "capacity-search";
      readonly of: "rate" | "concurrency";
      readonly from?: number;
      readonly to?: number;
      readonly maxRequests?: number;
      readonly maxSeconds?: number;
    };

/** A profile made of flags: loaded, and as the file that is the same profile. */
export interface FlagProfile {
  readonly text: string;
  readonly loaded: LoadedProfile;
}

/**
 * Streamed chat at a rate or a concurrency. Its id is made of its content, so that equal flags are the same profile in every run, and
 * requests are drawn alike. Throws ProfileError where the flags contradict each other.
 */
export function flagProfile(load: FlagLoad): FlagProfile {
  const { arrivals, durationSeconds, warmUpSeconds, promptTokens, outputTokens, gates, probe, cacheAudit = false } = load;
  const document = {
    arrivals,
    ...(warmUpSeconds === 0 ? {} : { warmUpSeconds }),
    ...(durationSeconds === undefined ? {} : { durationSeconds }),
    workload: [{ endpoint: "chat", stream: true, promptTokens, exactPrompts: true, outputTokens }],
    gates,
    ...(probe === undefined ? {} : { probe }),
    ...(cacheAudit ? { cacheAudit } : {}),
  };
  const named = (id: string, title: string): string => stringify({ id, title, ...document }, { lineWidth: 0 });
  const { profile } = parse(named("flags", "flags"));
  const text = named(`flags-${profile.content?.digest.slice(0, 8) ?? ""}`, describeArrivals(profile));
  return { text, loaded: parse(text) };
}

function parse(text: string): LoadedProfile {
  return parseProfile(text, { name: "profile of these flags", folder: "." });
}
