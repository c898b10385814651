import { expect, it } from "vitest";
import { describeRoom } from "../../../src/load/plan/describe-room.ts";
import { shortProfile } from "../../make/load/run-against.ts";

it("says before a load that its answers may not fit, and nothing of those that do", () => {
  const streams = (concurrency: number, outputTokens: number): string | null =>
    describeRoom(
      shortProfile({
        arrivals: { kind: "closed", concurrency },
        maxInFlight: 20_000,
        workload: [{ endpoint: "models" }, { endpoint: "chat", outputTokens }],
      }),
      { peakPerSecond: 0 },
    );
  expect(streams(300, 900)).toBeNull();
  expect(streams(2000, 1000)).toBeNull();
  expect(streams(10_000, 1000)).toBe(
    "10000 answers under way may take 650 MiB; there are 256 MiB for them, and a load that needs more ends as not valid",
  );
  const open = shortProfile({ timeoutSeconds: 100, maxInFlight: 20_000, workload: [{ endpoint: "chat", outputTokens: 4000 }] });
  expect(describeRoom(open, { peakPerSecond: 5 })).toBeNull();
  expect(describeRoom(open, { peakPerSecond: 50 })).toContain("5000 answers under way");
});
