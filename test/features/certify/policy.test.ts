import { describe, expect, it } from "vitest";
import type { Predicate } from "../../../src/features/certify/statement/predicate.ts";
import { judgePolicy } from "../../../src/features/certify/verify/policy.ts";

const hourMs = 3_600_000;
const now = new Date("2026-11-22T12:00:00Z");

function startedAt(fromNowHours: number): Predicate {
  const started = new Date(now.getTime() + fromNowHours * hourMs).toISOString();
  return {
    product: { name: "p", version: "1" },
    signedAt: started,
    run: {
      id: "r",
      startedAt: started,
      durationMs: 1,
      seed: 1,
      strict: false,
      interrupted: false,
      target: { name: "t", baseUrl: "http://127.0.0.1:1", server: null },
    },
    tool: { name: "assay", version: "1", node: "20", platform: "linux", sha256: "" },
    specification: { title: "", sha256: "" },
    catalogue: { sha256: "" },
    verdict: { verdict: "passed", reason: "", exitCode: 0 },
    scope: null,
    suites: [],
    requirements: {},
    limits: [],
    gates: [],
    health: { valid: true, reasons: [] },
    challenge: null,
    contents: [],
  };
}

describe("the age that a policy allows", () => {
  const judge = (hours: number): readonly string[] =>
    judgePolicy({ maxAgeDays: 1 }, startedAt(hours), { now, isChallenged: false });

  it("covers a run of that day, and clocks that differ by minutes", () => {
    expect(judge(-23)).toEqual([]);
    expect(judge(0.5)).toEqual([]);
  });

  it("refuses a run that is older, or dated in the future", () => {
    expect(judge(-25)).toEqual(["the run is 1.0 days old"]);
    expect(judge(48)).toEqual(["the run is dated 2.0 days in the future"]);
  });
});
