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

const circumstances = { now, isChallenged: false, isRejudged: true, challengeIssuedAt: null };

describe("the age that a policy allows", () => {
  const judge = (hours: number): readonly string[] => judgePolicy({ maxAgeDays: 1 }, startedAt(hours), circumstances);

  it("covers a run of that day, and clocks that differ by minutes", () => {
    expect(judge(-23)).toEqual([]);
    expect(judge(0.5)).toEqual([]);
  });

  it("refuses a run that is older, or dated in the future", () => {
    expect(judge(-25)).toEqual(["the run is 1.0 days old"]);
    expect(judge(48)).toEqual([
      "the run is dated 2.0 days in the future",
      "it is signed in the future, at 2026-11-24T12:00:00.000Z",
    ]);
  });
});

describe("the instants of a certificate", () => {
  const signed = (signedAt: string): readonly string[] => judgePolicy({}, { ...startedAt(-3), signedAt }, circumstances);

  it("are refused where they cannot be in this order, whatever the policy says", () => {
    expect(signed("2026-11-22T10:00:00.000Z")).toEqual([]);
    expect(signed("2001-01-01T00:00:00.000Z")).toEqual(["it is signed at 2001-01-01T00:00:00.000Z, before its run ended"]);
    expect(signed("2099-01-01T00:00:00.000Z")).toEqual(["it is signed in the future, at 2099-01-01T00:00:00.000Z"]);
    const late = { ...circumstances, challengeIssuedAt: "2026-11-22T11:30:00.000Z" };
    expect(judgePolicy({}, startedAt(-3), late)).toEqual([
      "the run began at 2026-11-22T09:00:00.000Z, before its challenge was issued",
    ]);
  });
});

describe("a policy that demands judging anew", () => {
  it("is not met by a signature", () => {
    expect(judgePolicy({ rejudged: true }, startedAt(-1), circumstances)).toEqual([]);
    expect(judgePolicy({ rejudged: true }, startedAt(-1), { ...circumstances, isRejudged: false })).toEqual([
      "the verdicts were not computed anew from the record: leave out --signature-only",
    ]);
  });
});
