import { afterAll, describe, expect, it } from "vitest";
import { compareUsage } from "../../../src/load/judge/usage-check.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { sendProfile, shortProfile } from "../../make/load/run-against.ts";

const service = await startReferenceService();
afterAll(() => service.close());

describe("usage check", () => {
  it("agree with the report of the reference service over streams, answers and embeddings", async () => {
    const profile = shortProfile({
      arrivals: { kind: "constant", ratePerSecond: 30 },
      durationSeconds: 0.7,
      workload: [{ endpoint: "chat" }, { endpoint: "chat", stream: false }, { endpoint: "embeddings", batch: 3 }],
    });
    const result = await sendProfile(profile, service.manifest);
    expect(result.outcomes).toEqual({ ok: 21 });
    expect(result.usageCheck).toMatchObject({ outcome: "agrees" });
    expect(result.usageCheck?.ours).toBeGreaterThan(1000);
  });

  it.each([
    [10, 10, "agrees"],
    [10, 7, "reported-less"],
    [10, 12, "reported-more"],
    [null, 12, "not-comparable"],
    [10, null, "not-comparable"],
  ] as const)("ours %s, reported %s: %s", (ours, reported, outcome) => {
    expect(compareUsage(ours, reported)).toMatchObject({ ours, reported, outcome });
  });
});
