import { describe, expect, it } from "vitest";
import { isWhole, testRandom, sampleTitle } from "../make/runner/sample.ts";
import { disturbances } from "./simulation/disturbances.ts";
import { accusationsIn, examine, simulatedManifest } from "./simulation/exam.ts";
import { lawfulLimiters } from "./simulation/lawful-limiters.ts";
import { serveRequests } from "./simulation/request-service.ts";

/** Histories per limiter and disturbance; the seed draws one of them, and for every limiter half of the disturbances. */
const limits = [5, 20, 60];

describe("lawful limiters are never accused", () => {
  it.each(disturbances.map((one, place) => [one.id, one, place] as const))(
    `under %s (${sampleTitle})`,
    async (id, { style, network, skip }, place) => {
      let histories = 0;
      const random = testRandom(id);
      for (const [turn, limiter] of lawfulLimiters.entries()) {
        if (skip?.includes(limiter.id)) continue;
        const drawn = random.integer(0, limits.length - 1);
        if (!isWhole && (turn + place) % 2 !== 0) continue;
        for (const [index, limit] of limits.entries()) {
          if (!isWhole && index !== drawn) continue;
          const service = serveRequests(limiter.create(limit, 60_000), style);
          const judged = await examine({ seed: (index + 1) * 7919, service, network, manifest: simulatedManifest(limit) });
          const accusations = accusationsIn(judged);
          expect(accusations.map((reported) => `${limiter.id} of ${limit} under ${id}: ${reported}`)).toEqual([]);
          expect(judged.result.policies.length).toBeGreaterThan(0);
          histories += 1;
        }
      }
      expect(histories).toBeGreaterThan(isWhole ? 50 : 8);
    },
  );

  // Two ticks of a bucket that refills every ten seconds, between readings ten seconds apart, were once taken for lost updates.
  it.each([
    ["slow upstream", 1_000_011],
    ["lost answers", 1_000_021],
  ])("grants a batch refill both of its ticks (%s, seed %i)", async (id, seed) => {
    const { style, network } = disturbances.find((one) => one.id === id)!;
    const limiter = lawfulLimiters.find((one) => one.id === "bucket-batch-10s")!;
    const service = serveRequests(limiter.create(60, 60_000), style);
    const { findings } = await examine({ seed, service, network, manifest: simulatedManifest(60) });
    expect(findings.filter((finding) => finding.verdict === "fail")).toEqual([]);
  });
});
