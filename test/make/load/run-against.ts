import type { Manifest } from "../../../src/core/manifest.ts";
import type { LoadDistribution } from "../../../src/core/result/load-figures.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { readProfile } from "../../../src/load/plan/read-profile.ts";
import { runLoadProfile, type RunLoadInput } from "../../../src/load/run-load-profile.ts";
import { createBudget } from "../../../src/wire/budget/budget.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import type { WireOptions } from "../../../src/wire/client/wire-options.ts";
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

export type SendOptions = Partial<Omit<RunLoadInput, "budget"> & Pick<WireOptions, "budget">>;

/** Sends a profile with a real clock out of the budget of the manifest, over connections of its own that are closed afterwards. */
export async function sendProfile(
  profile: LoadProfile,
  manifest: Manifest,
  options: SendOptions = {},
): Promise<LoadProfileResult> {
  const { clock = createRealClock(), budget = createBudget(manifest) } = options;
  const wire = createWire({ manifest, clock, budget });
  try {
    return await runLoadProfile({ profile, manifest, sender: wire, clock, budget, seed: 7, ...options });
  } finally {
    await wire.close();
  }
}

/** Runs a profile, a second of 40 requests of chat unless changed, against a server that is closed afterwards. */
export async function runAgainst(answer: Answer, change: object, options: SendOptions = {}): Promise<LoadProfileResult> {
  const target = await startTarget(answer);
  try {
    return await sendProfile(shortProfile(change), manifestFor(target.baseUrl), options);
  } finally {
    await target.close();
  }
}

/** The figures of answers over the whole window, or of what came instead. */
export function distributionOf(result: LoadProfileResult, metric: LoadDistribution["metric"], outcome = "ok"): LoadDistribution {
  const found = result.distributions.find((each) => each.metric === metric && each.outcome === outcome && each.phase === "whole");
  if (found === undefined)
    throw new Error(`no ${metric} of ${outcome}: ${result.distributions.map((each) => each.metric).join(", ")}`);
  return found;
}
