import { describe, expect, it } from "vitest";
import { longestSeconds } from "../../../src/load/plan/longest-seconds.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { builtInProfiles, loadProfile } from "../../../src/load/plan/read-profile.ts";
import { testManifest } from "../../make/test-manifest.ts";

const manifest = {
  ...testManifest("http://127.0.0.1:1", { timeoutMs: 2000 }),
  limits: { ...testManifest("http://127.0.0.1:1").limits, requestsPerMinute: 60 },
};

describe("the time that a profile takes at most", () => {
  it.each(builtInProfiles())("holds the schedule of %s, the wait for its last answer, and requests beside it", (name) => {
    const { profile } = loadProfile(name);
    const { durationMs } = planLoad({ profile, manifest, seed: 1 });
    const least = durationMs / 1000 + profile.timeoutSeconds + 2;
    expect(longestSeconds(profile, manifest)).toBeGreaterThanOrEqual(least);
    // The answers that a target may take are those of the manifest.
    const slow = { ...manifest, target: { ...manifest.target, timeoutMs: 60_000 } };
    expect(longestSeconds(profile, slow)).toBeGreaterThan(longestSeconds(profile, manifest));
  });

  it("is minutes for a short profile, not hours", () => {
    expect(longestSeconds(loadProfile("smoke").profile, manifest)).toBeLessThan(120);
  });
});
