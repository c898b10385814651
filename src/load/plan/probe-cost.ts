import { estimateWorstCase, type WorstCase } from "../../core/cost-estimate.ts";
import type { Manifest } from "../../core/manifest.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { mostProbes } from "../profile/probe-policy.ts";
import { plannedSeconds } from "./planned-seconds.ts";
import { probeRequest } from "./probe-request.ts";

export interface ProbeCost {
  /** As many as the plan of its profile leaves time for. */
  readonly requests: number;
  /** Of one request. */
  readonly each: WorstCase;
}

/** The most that the probe of a profile can send; nothing where it has none. */
export function probeCost(profile: LoadProfile, manifest: Pick<Manifest, "models" | "prices">): ProbeCost {
  const { probe, id } = profile;
  if (probe === undefined) return { requests: 0, each: { tokens: 0, costUsd: 0 } };
  const costs = probe.ask.map((ask) =>
    estimateWorstCase(probeRequest(ask, { manifest, profile: id, key: probe.key }), manifest.prices),
  );
  return {
    requests: Math.min(mostProbes, 1 + Math.ceil(plannedSeconds(profile) / probe.everySeconds)),
    each: {
      tokens: Math.max(...costs.map(({ tokens }) => tokens)),
      costUsd: Math.max(...costs.map(({ costUsd }) => costUsd)),
    },
  };
}
