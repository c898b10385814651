import { expect, it } from "vitest";
import { createLoadPlans } from "../../../src/run/stages/load-plans.ts";
import { loadProfile } from "../../../src/load/plan/read-profile.ts";
import { testManifest } from "../../make/test-manifest.ts";

it("plans a profile once, and again where the manifest has learned what its plan follows from", () => {
  const plans = createLoadPlans(1);
  const [smoke, burst] = [loadProfile("smoke"), loadProfile("burst")];
  const manifest = testManifest("http://127.0.0.1:1");
  const [first, other] = [plans(smoke, manifest), plans(burst, manifest)];
  const bounded = { ...manifest, budget: { ...manifest.budget, maxRequests: 7 } };
  expect(plans(smoke, bounded)).toBe(first);
  expect(plans(burst, bounded)).toBe(other);
  const learned = { ...manifest, limits: { ...manifest.limits, requestsPerMinute: 3 } };
  expect(plans(burst, learned).sends.length).toBeLessThan(other.sends.length);
  expect(plans(burst, learned)).toBe(plans(burst, learned));
});
