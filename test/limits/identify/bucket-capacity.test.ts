import { describe, expect, it } from "vitest";
import { batchRefill } from "../../../src/limits/identify/token-bucket.ts";
import type { FamilyInput, FamilyOp } from "../../../src/limits/identify/family.ts";
import { examine, simulatedManifest } from "../simulation/exam.ts";
import { faultyLimiters } from "../simulation/faulty-limiters.ts";
import { serveRequests } from "../simulation/request-service.ts";

/** One request; after three silent minutes forty more that are admitted, and one that is refused. `shown` is what the first ones see. */
function drained(shown: number, changes: Partial<FamilyInput> = {}): FamilyInput {
  const op = (seq: number, atMs: number, remaining: number | null): FamilyOp => ({
    seq,
    sentMs: atMs,
    headersMs: atMs + 1,
    outcome: remaining === null ? "rejected" : "admitted",
    remaining,
  });
  const drain = Array.from({ length: 40 }, (_, index) => op(index + 2, 180_000 + 2 * index, shown - index));
  return {
    ops: [op(1, 0, shown), ...drain, op(42, 180_100, null)],
    limit: 60,
    windowMs: 60_000,
    granularityMs: 1000,
    fuzzMs: 0,
    rateRatio: 0,
    before: 0,
    rounding: 1,
    readings: true,
    ...changes,
  };
}

describe("the capacity of a bucket", () => {
  const possible = (input: FamilyInput): boolean => batchRefill.examine(input).possible;

  it("is no less than what was ever shown, however late refills come", () => {
    // Twelve tokens of a late batch may be missing at the refusal, and one more makes no whole request: 40 + 12.
    expect([possible(drained(52)), possible(drained(53)), possible(drained(59))]).toEqual([true, false, false]);
  });

  it("grants what a reading before the request and a rounded one leave open", () => {
    expect([possible(drained(53, { before: 1 })), possible(drained(54, { before: 1 }))]).toEqual([true, false]);
    expect([possible(drained(56, { rounding: 5 })), possible(drained(57, { rounding: 5 }))]).toEqual([true, false]);
  });

  it("leaves a bucket that refills too slowly unexplained in the full exam", async () => {
    const defect = faultyLimiters.find((one) => one.id === "slow-refill")!;
    for (const seed of [3, 4, 5]) {
      const service = serveRequests(defect.create(60, 60_000));
      const { findings } = await examine({ seed, service, manifest: simulatedManifest(60), exam: "full" });
      expect(findings.map(({ check }) => check)).toContain("limits.algorithm");
    }
  });
});
