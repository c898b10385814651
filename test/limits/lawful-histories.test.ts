import { describe, expect, it } from "vitest";
import { examine, simulatedManifest } from "./simulation/exam.ts";
import { lawfulLimiters } from "./simulation/lawful-limiters.ts";
import { serveRequests } from "./simulation/request-service.ts";

describe("lawful limiters", () => {
  it.each(lawfulLimiters)("$id is never accused", async (limiter) => {
    for (let seed = 1; seed <= 3; seed += 1) {
      const judged = await examine({ seed, service: serveRequests(limiter.create(60, 60_000)), manifest: simulatedManifest(60) });
      expect(judged.findings.filter((finding) => finding.verdict === "fail")).toEqual([]);
      expect(judged.result.policies[0]?.checks.find((check) => check.id === "r2.lost")?.considered).toBeGreaterThanOrEqual(0);
    }
  });
});
