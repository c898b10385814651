import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { splitRate } from "../../../src/features/agents/coordinator/split-permitted.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { dealSends } from "../../../src/load/arrivals/share.ts";
import { createWorkload } from "../../../src/load/workload/workload.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";
import { runsOf } from "../../make/runner/sample.ts";

const manifest = manifestFor("http://127.0.0.1:1");

function planOf(kind: string, rate: number, seed: number) {
  const profile = shortProfile({
    arrivals: { kind, ratePerSecond: rate },
    durationSeconds: 4,
    workload: [
      { endpoint: "chat", promptTokens: { kind: "lognormal", median: 30, sigma: 0.6, min: 5, max: 90 }, outputTokens: 5 },
      { endpoint: "embeddings", inputTokens: 8, weight: 0.5 },
    ],
  });
  const plan = planLoad({ profile, manifest, seed });
  const random = createRandom(seed).fork(profile.id);
  return {
    profile,
    plan,
    workload: () => createWorkload(profile.workload, { manifest, keyName: "primary", random, wallMs: () => 0 }),
  };
}

describe("shares of a schedule", () => {
  it("are the same bodies at the same instants for any number of agents, each sent once", () => {
    fc.assert(
      fc.property(
        fc.constantFrom("poisson", "constant"),
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 9 }),
        fc.nat(1000),
        (kind, rate, agents, seed) => {
          const { plan, workload } = planOf(kind, rate, seed);
          const one = workload();
          const whole = plan.sends.map((send, index) => [send.atMs, index, JSON.stringify(one.request(index, send))] as const);
          // Every agent draws the schedule for itself.
          const parts = Array.from({ length: agents }, (_, agent) => {
            const own = planOf(kind, rate, seed);
            const bodies = own.workload();
            return dealSends(own.plan.sends, { index: agent, count: agents }).map((send, position) => {
              const index = agent + agents * position;
              return [send.atMs, index, JSON.stringify(bodies.request(index, send))] as const;
            });
          });
          expect(parts.flat().toSorted((a, b) => a[1] - b[1])).toEqual(whole);
        },
      ),
      { numRuns: 15 },
    );
  });

  it("hold each agent to its part of the permitted rate as long as the whole fits the parts", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: 9 }), fc.nat(1000), (rate, agents, seed) => {
        const { plan } = planOf("poisson", rate, seed);
        const permitted = plan.peakPerSecond + (seed % 5);
        const own = splitRate(permitted, agents)!;
        fc.pre(plan.peakPerSecond <= own * agents);
        for (let agent = 0; agent < agents; agent += 1) {
          const times = dealSends(plan.sends, { index: agent, count: agents }).map((send) => send.atMs);
          const most = times.reduce(
            (peak, from) => Math.max(peak, times.filter((at) => at >= from && at < from + 999.999).length),
            0,
          );
          expect(most).toBeLessThanOrEqual(own);
        }
        expect(own * agents).toBeLessThanOrEqual(permitted);
      }),
      { numRuns: runsOf(100) },
    );
  });
});
