import { describe, expect, it } from "vitest";
import { chooseWorkers } from "../../../src/load/workers/choose-workers.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import { dealSends, portion, profileOfShare } from "../../../src/load/arrivals/share.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";

function profileWith(change: object): LoadProfile {
  const arrivals = { kind: "poisson", ratePerSecond: 100 };
  return shortProfile({ arrivals, workload: [{ endpoint: "models" }], workers: "auto", ...change });
}

const ceiling = { requestsPerSecond: 1000, eventsPerSecond: 10_000, streams: 5000 };

describe("chooseWorkers", () => {
  it.each([
    ["what one loop can do", 900, {}, 1],
    ["a little more", 1100, {}, 2],
    ["more than there are processors", 9000, {}, 4],
    ["few requests of many events", 100, { workload: [{ endpoint: "chat", outputTokens: 250 }] }, 3],
    [
      "the same, half of it without streams",
      100,
      { workload: [{ endpoint: "chat", outputTokens: 250 }, { endpoint: "models" }] },
      2,
    ],
    ["a closed loop, which has no rate", 0, { arrivals: { kind: "closed", concurrency: 500 } }, 1],
  ] as const)("takes as many as %s asks for", (_, peakPerSecond, change, wanted) => {
    expect(chooseWorkers(profileWith(change), { peakPerSecond }, ceiling, 4)).toBe(wanted);
  });

  it("takes one where nothing was calibrated, and the number that the profile names", () => {
    expect(chooseWorkers(profileWith({}), { peakPerSecond: 9000 }, null, 4)).toBe(1);
    expect(chooseWorkers(profileWith({ workers: 3 }), { peakPerSecond: 1 }, null, 1)).toBe(3);
    expect(
      chooseWorkers(profileWith({ workers: 8, arrivals: { kind: "closed", concurrency: 2 } }), { peakPerSecond: 0 }, null, 4),
    ).toBe(2);
  });

  it("sizes a bisection for its highest rate", () => {
    const arrivals = { kind: "bisect", lowPerSecond: 1, highPerSecond: 900, secondsPerProbe: 1, gaps: "even" };
    const profile = profileWith({ arrivals, slo: { userLatencyMs: 1 } });
    const plan = planLoad({ profile, manifest: manifestFor("http://127.0.0.1:9"), seed: 1 });
    expect(plan.peakPerSecond).toBe(900);
  });

  it("is 1 to 16, or auto", () => {
    expect(() => profileWith({ workers: 0 })).toThrow(/workers/);
    expect(profileWith({ workers: undefined }).workers).toBe(1);
  });
});

describe("shares", () => {
  it("sum up to the whole, whatever the number of loops", () => {
    const sends = Array.from({ length: 101 }, (_, index) => index);
    for (const count of [1, 2, 3, 7, 16]) {
      const shares = Array.from({ length: count }, (_, index) => ({ index, count }));
      expect(shares.flatMap((share) => dealSends(sends, share)).toSorted((a, b) => a - b)).toEqual(sends);
      for (const total of [0, 1, 16, 101]) {
        expect(shares.reduce((sum, share) => sum + portion(total, share), 0)).toBe(total);
      }
      const closed = profileWith({ arrivals: { kind: "closed", concurrency: 50 }, workers: 1, maxInFlight: 200 });
      const parts = shares.map((share) => profileOfShare(closed, share));
      expect(parts.reduce((sum, { arrivals }) => sum + (arrivals.kind === "closed" ? arrivals.concurrency : 0), 0)).toBe(50);
      expect(parts.reduce((sum, { maxInFlight }) => sum + maxInFlight, 0)).toBe(200);
    }
  });
});
