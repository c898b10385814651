import type { LoadDistribution } from "../../src/core/result/load-figures.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import type { LoadProfile } from "../../src/load/profile/load-profile.ts";
import { readProfile } from "../../src/load/profile/read-profile.ts";
import { runLoadProfile, type RunLoadInput } from "../../src/load/send/run-load-profile.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { manifestFor, startTarget, type Answer } from "./load-target.ts";

/** A second of 40 requests of chat, unless changed. */
export function shortProfile(change: object): LoadProfile {
  const base = {
    id: "test",
    title: "Test",
    arrivals: { kind: "constant", ratePerSecond: 40 },
    durationSeconds: 1,
    timeoutSeconds: 5,
    workload: [{ endpoint: "chat" }],
  };
  return readProfile(JSON.stringify({ ...base, ...change }), "test");
}

/** Runs a profile, a second of 40 requests of chat unless changed, against a server that is closed afterwards. */
export async function runAgainst(
  answer: Answer,
  change: object,
  options: Partial<RunLoadInput> = {},
): Promise<LoadProfileResult> {
  const profile = shortProfile(change);
  const target = await startTarget(answer);
  const manifest = manifestFor(target.baseUrl);
  const clock = createRealClock();
  const wire = createWire({ manifest, clock });
  try {
    return await runLoadProfile({ profile, manifest, sender: wire, clock, seed: 7, ...options });
  } finally {
    await wire.close();
    await target.close();
  }
}

/** The figures of answers over the whole window. */
export function answersOf(result: LoadProfileResult, metric: LoadDistribution["metric"]): LoadDistribution | null {
  return result.distributions.find((each) => each.metric === metric && each.outcome === "ok" && each.phase === "whole") ?? null;
}
