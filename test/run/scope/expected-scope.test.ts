import { describe, expect, it } from "vitest";
import type { Result } from "../../../src/core/result/result.ts";
import type { UntestedReason, Verdict } from "../../../src/core/result/verdict.ts";
import { expectScopeOf, findLostScope } from "../../../src/run/scope/expected-scope.ts";

type Row = readonly [id: string, verdict: Verdict, reason?: string, untested?: UntestedReason];

function resultOf(rows: readonly Row[]): Result {
  const requirements = rows.map(([id, verdict, reason = null, untested]) => {
    return { id, verdict, reason, untested, suite: id.startsWith("RATE-035") ? "limits" : "core" };
  });
  return { conformance: { requirements, suites: [{ id: "core" }] }, limits: null, load: null } as unknown as Result;
}

const off = "not-permitted: exhaustLimits is off, so no limit is reached";
const lostBetween = (earlier: readonly Row[], later: readonly Row[]): readonly string[] =>
  findLostScope(expectScopeOf(resultOf(earlier), "good.json"), resultOf(later)).map(({ id }) => id);

describe("what a run judges less than an earlier one", () => {
  it("is no row that the earlier one, without the same permission, judged from what it happened to see", () => {
    const earlier: readonly Row[] = [
      ["RATE-014", "untested", off, "not-permitted"],
      ["RATE-015", "pass"],
    ];
    expect(
      lostBetween(earlier, [
        ["RATE-014", "untested", off, "not-permitted"],
        ["RATE-015", "untested", off, "not-permitted"],
      ]),
    ).toEqual([]);
  });

  it("is no row of a suite that was not asked for, which an older version judged in passing", () => {
    expect(lostBetween([["RATE-035", "observed"]], [["RATE-035", "untested", "not-selected: ...", "not-selected"]])).toEqual([]);
  });

  it("is every row for which a permission was withdrawn, a key is gone, or a waiver was written", () => {
    const earlier: readonly Row[] = [
      ["A-1", "pass"],
      ["A-2", "pass"],
      ["A-3", "observed"],
      ["A-4", "untested", "waived: ticket 1", "waived"],
      ["A-5", "untested", "no-fixture: no key named admin in the manifest", "no-fixture"],
    ];
    const later: readonly Row[] = [
      ["A-1", "untested", off, "not-permitted"],
      ["A-2", "untested", "waived: ticket 1", "waived"],
      ["A-3", "untested", "no-fixture: no key named admin in the manifest", "no-fixture"],
      ["A-4", "untested", "waived: ticket 1", "waived"],
      ["A-5", "untested", "no-fixture: no key named admin in the manifest", "no-fixture"],
    ];
    expect(lostBetween(earlier, later)).toEqual(["A-1", "A-2", "A-3"]);
  });
});
