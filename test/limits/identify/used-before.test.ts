import { describe, expect, it } from "vitest";
import type { FamilyOp } from "../../../src/limits/identify/family.ts";
import { usedBefore } from "../../../src/limits/identify/identify.ts";

function answered(remaining: number | null): FamilyOp {
  return { seq: 1, sentMs: 1000, headersMs: 1010, outcome: remaining === null ? "rejected" : "admitted", remaining };
}

describe("requests that were counted before a history", () => {
  const count = (op: FamilyOp, before: 0 | 1 = 0, limit = 60): number =>
    usedBefore([op], { limit, windowMs: 60_000, before }).length;

  it("are as many as the first answer lacks", () => {
    expect([59, 50, 0].map((remaining) => count(answered(remaining)))).toEqual([0, 9, 59]);
    expect(count(answered(60), 1)).toBe(0);
    expect(count(answered(null))).toBe(60);
    expect(usedBefore([], { limit: 60, windowMs: 60_000, before: 0 })).toEqual([]);
  });

  it("are bounded, whatever limit an answer states", () => {
    expect(count(answered(0), 0, 1e15)).toBe(6000);
    expect(count(answered(null), 0, 1e15)).toBe(6000);
    expect(count(answered(80))).toBe(0);
  });
});
