import { expect, it } from "vitest";
import type { Manifest } from "../../src/core/manifest.ts";
import type { LoadProfile } from "../../src/load/profile/load-profile.ts";
import type { RunOptions, Stage } from "../../src/run/run-options.ts";
import { createLoadPlans } from "../../src/run/stages/load-plans.ts";
import { shortProfile } from "../make/load/run-against.ts";
import { testManifest } from "../make/test-manifest.ts";
import { boundRequests } from "../../src/run/execute-run.ts";

function boundOf(stages: readonly Stage[], profile: object = {}, more: Partial<Manifest> = {}): number | null | undefined {
  const manifest = { ...testManifest("http://127.0.0.1:1"), ...more };
  const profiles: readonly { readonly profile: LoadProfile; readonly trace: null }[] = stages.includes("load")
    ? [{ profile: shortProfile(profile), trace: null }]
    : [];
  const options = { stages, manifest, profiles, seed: 1, suites: [], cases: [], requirements: [] } as unknown as RunOptions;
  return boundRequests(options, createLoadPlans(options.seed)).manifest?.budget.maxRequests;
}

const unbounded = { maxRequests: null, maxTokens: null, maxCostUsd: null };

it("a run without a budget has a bound on requests that its own plan gives", () => {
  const [check, load] = [boundOf(["conformance"], {}, { budget: unbounded }), boundOf(["load"], {}, { budget: unbounded })];
  expect(check).toBeGreaterThan(1000);
  // A second of forty requests, and what is sent beside cases.
  expect(load).toBeGreaterThanOrEqual(40);
  expect(load).toBeLessThan(1000);
  expect(boundOf(["conformance", "load"], {}, { budget: unbounded })).toBeGreaterThan(check!);
});

it("what time alone bounds has none, and a budget of the manifest stays as it is", () => {
  expect(boundOf(["load"], { arrivals: { kind: "closed", concurrency: 4 } }, { budget: unbounded })).toBeNull();
  expect(boundOf(["conformance"], {}, { budget: { ...unbounded, maxRequests: 7 } })).toBe(7);
});
