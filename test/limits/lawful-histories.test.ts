import { describe, expect, it } from "vitest";
import { disturbances } from "./simulation/disturbances.ts";
import { examine, simulatedManifest } from "./simulation/exam.ts";
import { lawfulLimiters } from "./simulation/lawful-limiters.ts";
import { serveRequests } from "./simulation/request-service.ts";

/** Histories per limiter and disturbance; bench/limits-power.ts runs many more. */
const seedsEach = 3;

describe("lawful limiters are never accused", () => {
  it.each(disturbances)("under $id", async ({ id, style, network, skip }) => {
    let histories = 0;
    for (const limiter of lawfulLimiters) {
      if (skip?.includes(limiter.id)) continue;
      for (let seed = 1; seed <= seedsEach; seed += 1) {
        const service = serveRequests(limiter.create(60, 60_000), style);
        const { result, findings } = await examine({ seed: seed * 7919, service, network, manifest: simulatedManifest(60) });
        const accusing = findings.filter((finding) => finding.verdict === "fail" || finding.check === "family");
        expect(accusing.map(({ check, message }) => `${limiter.id} under ${id}: ${check} ${message}`)).toEqual([]);
        expect(result.policies.length).toBeGreaterThan(0);
        histories += 1;
      }
    }
    expect(histories).toBeGreaterThan(50);
  });
});
