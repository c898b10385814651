import { describe, expect, it } from "vitest";
import { allCases } from "../../suites/all-cases.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import type { SuiteId } from "../../src/core/result/requirement.ts";
import { runSuites } from "./run-suites.ts";

const suites: readonly SuiteId[] = ["embeddings", "images", "audio", "models", "usage", "settings", "scopes", "faults"];

describe("suites of embeddings, images, audio, models, usage, settings, scopes and faults on the reference service", async () => {
  const run = await runSuites(suites);

  it("find nothing to complain about, not even an advisory", () => {
    expect(run.findings).toEqual([]);
    expect(run.result.suites.map(({ id, verdict }) => [id, verdict])).toEqual(suites.map((id) => [id, "conformant"]));
  });

  it("judge or observe every row that is not excluded", () => {
    const open = run.result.requirements.filter(
      ({ suite, verdict }) => suites.includes(suite) && verdict !== "pass" && verdict !== "observed" && verdict !== "excluded",
    );
    expect(open.map(({ id, verdict, reason }) => [id, verdict, reason])).toEqual([]);
  });

  it("pass every requirement that can be met, and observe only what the specification leaves open", () => {
    const observed = run.result.requirements.filter(({ suite, verdict }) => suites.includes(suite) && verdict === "observed");
    expect(observed.filter(({ level }) => level === "must" || level === "should").map(({ id }) => id)).toEqual([]);
  });

  it("name in each case the rows that it really serves", () => {
    const seen = new Map<string, Set<string>>();
    for (const { caseId, intent } of run.exchanges) {
      const rows = seen.get(caseId) ?? new Set();
      if (intent.kind === "violates" || intent.kind === "probe-unspecified") rows.add(intent.requirement);
      seen.set(caseId, rows);
    }
    const forgotten = allCases
      .filter(({ suite }) => suites.includes(suite))
      .flatMap(({ id, covers }) => [...(seen.get(id) ?? [])].filter((row) => !covers.includes(row)).map((row) => `${id} ${row}`));
    // The unknown identifier in the case of a foreign one is only there to be compared.
    expect(forgotten).toEqual(["settings/foreign-key KEY-016"]);
  });

  it("send no more than their cases announce", () => {
    const excess = allCases
      .filter(({ suite }) => suites.includes(suite))
      .filter(({ id, cost }) => {
        const sent = run.exchanges.filter(({ caseId, stage }) => caseId === id && stage === "conformance").length;
        return sent > Object.values(cost.requests).reduce((sum, count) => sum + count, 0);
      });
    expect(excess.map(({ id }) => id)).toEqual([]);
  });

  it("restore what they changed", () => {
    const changed = allCases.filter(
      ({ id, resource }) => resource === "settings" && run.exchanges.some(({ caseId }) => caseId === id),
    );
    const restored = run.exchanges.filter(({ stage, intent }) => stage === "setup" && intent.kind === "housekeeping");
    expect(changed.length).toBeGreaterThan(8);
    expect(new Set(restored.map(({ caseId }) => caseId))).toEqual(new Set(changed.map(({ id }) => id)));
    expect(restored.filter(({ response }) => response?.status !== 200)).toEqual([]);
  });
});

describe("suites on a target that grants nothing", () => {
  it("leave what needs a fixture or a permission untested, with the reason, and change nothing", async () => {
    const run = await runSuites(suites, {}, (manifest) => ({
      ...manifest,
      keys: { primary: manifest.keys["primary"]! },
      permissions: { ...manifest.permissions, patchSettings: false, fetchImages: false, faultTriggers: false },
      restore: { keys: {}, account: null },
      faults: {},
      foreignKeyId: null,
    }));
    const verdicts = new Map(run.result.requirements.map((row) => [row.id, row]));
    expect(verdicts.get("KEY-001")).toMatchObject({
      verdict: "untested",
      reason: "no-fixture: no key named admin in the manifest",
    });
    expect(verdicts.get("IMG-024")).toMatchObject({
      verdict: "untested",
      reason: "not-permitted: the manifest does not permit fetchImages",
    });
    expect(verdicts.get("ERR-026")?.reason).toBe("no-fixture: the manifest names no way to make the target answer 500");
    expect(run.result.suites.find(({ id }) => id === "settings")?.verdict).toBe("untested");
    expect(run.result.suites.find(({ id }) => id === "embeddings")?.verdict).toBe("conformant");
    expect(run.findings).toEqual([]);
    expect(run.exchanges.filter(({ request }) => request.method === "PATCH")).toEqual([]);
  });
});

describe("judges", () => {
  it("have ids of their own", () => {
    const ids = allJudges.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });
});
