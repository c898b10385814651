import { describe, expect, it } from "vitest";
import { type ExamPartName, examPartNames } from "../../../src/core/result/checks/limit-policies.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import type { UnjudgedPart } from "../../../src/core/result/limits-result.ts";
import { planLimits } from "../../../src/limits/exam/plan-limits.ts";
import { kindsOutOfScope, limitsOutOfScope } from "../../../src/run/scope/limit-scope.ts";
import { notJudged } from "../../../src/limits/probe/limit-probe.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { testManifest } from "../../make/test-manifest.ts";

const bare = testManifest("http://127.0.0.1:1");
const manifests: readonly Manifest[] = [
  bare,
  { ...bare, keys: {}, exclusive: false },
  { ...bare, keys: { primary: bare.keys["primary"]! }, exclusive: false },
  {
    ...bare,
    keys: { ...bare.keys, spendA: { secret: "s", id: "key_1", createdAtMs: null } },
    permissions: { ...bare.permissions, patchSettings: true, spendUpToCents: 100_000 },
    restore: { keys: { spendA: { monthly_spend_cap: null } }, account: null },
  },
];

describe("limitsOutOfScope", () => {
  it("knows every part that a plan of the exam leaves out", async () => {
    const plans = await Promise.all(
      manifests.flatMap((manifest) => (["short", "full"] as const).map((exam) => planLimits(manifest, exam))),
    );
    const named = plans.flatMap(({ notJudged }) => notJudged.map(({ policy }) => policy));
    const catalogue = readCatalogue();
    const rowsWithout = (policy: UnjudgedPart): number =>
      limitsOutOfScope([{ policy, untested: "not-permitted", text: "left out" }], catalogue).size;
    expect([...new Set(named)].filter((policy) => rowsWithout(policy) === 0)).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(5);
  });

  it("has a part for every row that an exam shows, and that of bursts for every row on them", () => {
    const rows = readCatalogue().filter(
      ({ suite, exclusion }) => (suite === "limits" || suite === "spend") && exclusion === null,
    );
    const idsOf = (some: typeof rows): readonly string[] => some.map(({ id }) => id);
    const without = (name: ExamPartName): readonly string[] => [
      ...limitsOutOfScope([notJudged(name, "not-permitted", "left out")], rows).keys(),
    ];
    expect(without("burst")).toEqual(idsOf(rows.filter(({ suite, id }) => suite === "limits" && id.startsWith("BURST-"))));
    expect(without("spend caps")).toEqual(idsOf(rows.filter(({ suite }) => suite === "spend")));
    const shown = new Set(examPartNames.flatMap(without));
    expect(idsOf(rows.filter(({ id }) => !shown.has(id)))).toEqual(["AUTH-037"]);
  });

  it("gives the narrowest reason, with what would have to be supplied", () => {
    const left = [
      notJudged("spend caps", "not-permitted", "up to 360 cents are needed, 200 are allowed"),
      notJudged("billing cycle", "no-fixture", "the end of a month can only be reached on a virtual clock"),
    ];
    const outside = limitsOutOfScope(left, readCatalogue());
    expect(outside.get("SPEND-002")).toMatchObject({ reason: "no-fixture", supply: [{ kind: "control" }] });
    expect(outside.get("SPEND-001")).toMatchObject({
      reason: "not-permitted",
      text: "up to 360 cents are needed, 200 are allowed",
    });
    expect(outside.get("RATE-016")).toBeUndefined();
  });

  it("keeps in scope what the time of the run did not hold", async () => {
    const permissions = { ...bare.permissions, exhaustLimits: true };
    const tight = { ...bare, permissions, budget: { ...bare.budget, maxMinutes: 0.01 } };
    const { exams, notJudged: left } = await planLimits(tight, "short");
    const outside = limitsOutOfScope(left, readCatalogue());
    expect(exams).toEqual([]);
    expect(outside.get("RATE-024")).toEqual({
      reason: "not-observed",
      text: expect.stringMatching(/^budget\.maxMinutes leaves 0 min to the exams, and all of them take about /) as unknown,
    });
    const asResult = left.map(({ policy, untested, text }) => ({ policy, reason: text, ...(untested && { untested }) }));
    expect(kindsOutOfScope(asResult).has("requests")).toBe(false);
    // The manifest has no low token limit: that stays the reason, whatever the time is.
    expect(outside.get("RATE-031")).toMatchObject({ reason: "no-fixture" });
  });
});
