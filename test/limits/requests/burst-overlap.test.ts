import { describe, expect, it } from "vitest";
import type { LimitCheckResult } from "../../../src/core/result/limits-result.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { lawfulLimiters } from "../simulation/lawful-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";
import { quietNetwork } from "../simulation/simulator.ts";

/** The verdict on lost updates when the requests of a burst leave over so long a span. */
async function lostUpdates(burstSpreadMs: number): Promise<LimitCheckResult> {
  const limiter = lawfulLimiters.find(({ id }) => id === "fixed-aligned")!;
  const { result } = await examine({
    seed: 5,
    service: serveRequests(limiter.create(60, 60_000)),
    network: { ...quietNetwork, burstSpreadMs },
    manifest: simulatedManifest(60),
  });
  return result.policies[0]!.checks.find(({ id }) => id === "limits.lost-updates")!;
}

describe("simultaneous requests", () => {
  it("that were under way at once pass, and the overlap is reported", async () => {
    const check = await lostUpdates(1);
    expect(check.verdict).toBe("pass");
    expect(Number(/with up to (\d+) requests in flight at once/.exec(check.message)?.[1])).toBeGreaterThanOrEqual(12);
  });

  it("that the way spread out prove nothing about lost updates", async () => {
    const check = await lostUpdates(4000);
    expect([check.verdict, check.tier]).toEqual(["inconclusive", "inconclusive"]);
    expect(check.message).toMatch(/at most [123] of their requests were in flight at once/);
  });
});
