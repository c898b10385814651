import { describe, expect, it } from "vitest";
import type { BaselineEntry } from "../../../src/core/manifest.ts";
import type { RequirementResult } from "../../../src/core/result/conformance-result.ts";
import type { Finding } from "../../../src/core/result/finding.ts";
import { findingId, violatedIn } from "../../../src/core/result/finding-id.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { applyBaseline } from "../../../src/run/verdict/apply-baseline.ts";
import { passiveCheck } from "../../../src/run/verdict/passive-check.ts";
import { makeFinding } from "../../make/results/make-finding.ts";

const today = "2026-11-21";
const catalogue = readCatalogue();

const finding = (parts: Partial<Finding> = {}): Finding =>
  makeFinding({ id: findingId("CHAT-020", "kind"), requirement: "CHAT-020", also: ["ERR-022"], ...parts });
const gate = finding({ id: findingId("ttft.p95", "smoke", "<"), stage: "load", requirement: null, check: "ttft.p95" });
const limit = finding({ id: findingId("limits.over-admission", "p"), stage: "limits", check: "limits.over-admission" });

function apply(
  entries: readonly (Partial<BaselineEntry> & { readonly id: string })[],
  findings: readonly Finding[],
  verdicts: Readonly<Record<string, Verdict>> = { "CHAT-020": "fail" },
): readonly Finding[] {
  const baseline = entries.map((entry): BaselineEntry => ({ verdict: "fail", reason: "known", expires: null, ...entry }));
  const requirements = Object.entries(verdicts).map(([id, verdict]) => ({ id, verdict }) as RequirementResult);
  return applyBaseline(findings, { baseline, catalogue, requirements, today });
}

const known = (...args: Parameters<typeof apply>): readonly boolean[] =>
  apply(...args)
    .filter(({ stage }) => stage !== "baseline")
    .map(({ baselined }) => baselined);
const stale = (...args: Parameters<typeof apply>): readonly string[] =>
  apply(...args)
    .filter(({ stage }) => stage === "baseline")
    .map(({ message }) => message);

describe("the baseline", () => {
  it("knows a finding by its id, by what it violates, by a limit check and by a gate", () => {
    const all = [finding(), gate, limit];
    expect(known([{ id: finding().id }], all)).toEqual([true, false, false]);
    expect(known([{ id: "CHAT-020" }], [finding(), gate])).toEqual([true, false]);
    expect(known([{ id: "ttft.p95" }], all)).toEqual([false, true, false]);
    expect(known([{ id: gate.id }], all)).toEqual([false, true, false]);
    expect(known([{ id: "limits.over-admission" }], all)).toEqual([false, false, true]);
  });

  it("knows one finding for the whole defect, and no other of the same row", () => {
    const other = finding({ id: findingId("CHAT-020", "another kind") });
    expect(known([{ id: finding().id }], [finding(), other])).toEqual([true, false]);
    // A row that the defect violates beside its own does not stand for it.
    expect(known([{ id: "ERR-022" }], [finding()], { "CHAT-020": "fail", "ERR-022": "fail" })).toEqual([false]);
  });

  it("does not forgive a failure where it knows an advisory, nor what a judge says elsewhere", () => {
    expect(known([{ id: "CHAT-020", verdict: "advisory" }], [finding(), finding({ verdict: "advisory" })])).toEqual([
      false,
      true,
    ]);
    expect(known([{ id: "rejects-as-stated" }], [finding()])).toEqual([false]);
    expect(known([{ id: passiveCheck }], [finding({ stage: "load", check: passiveCheck })])).toEqual([false]);
  });

  it("counts until the last day of an entry", () => {
    expect(known([{ id: "CHAT-020", expires: today }], [finding()])).toEqual([true]);
    expect(known([{ id: "CHAT-020", expires: "2026-11-20" }], [finding()])).toEqual([false]);
    expect(stale([{ id: "CHAT-020", expires: "2026-11-20" }], [finding()])).toEqual([
      "the baseline entry for CHAT-020 expired on 2026-11-20",
    ]);
    expect(stale([{ id: gate.id, expires: "2026-11-20" }], [gate])).toHaveLength(1);
    expect(stale([{ id: gate.id, expires: "2026-11-20" }], [])).toEqual([]);
  });

  it("reports entries that pass now, by their row and by their finding", () => {
    for (const id of ["CHAT-020", finding().id]) {
      const [one] = apply([{ id }], [], { "CHAT-020": "pass" });
      expect(one).toMatchObject({
        stage: "baseline",
        requirement: "CHAT-020",
        level: "must",
        verdict: "fail",
        message: `the baseline lists ${id} as fail, but its verdict is pass: remove the entry`,
        expected: "verdict fail (known)",
        observed: "verdict pass",
      });
    }
    expect(stale([{ id: "CHAT-020" }], [finding({ verdict: "advisory" })], { "CHAT-020": "advisory" })).toHaveLength(1);
  });

  it("keeps quiet about entries that hold, that were not tried, and that the row violates as part of another defect", () => {
    expect(stale([{ id: "CHAT-020" }, { id: finding().id }], [finding()])).toEqual([]);
    expect(stale([{ id: "CHAT-020" }, { id: finding().id }], [], { "CHAT-020": "untested" })).toEqual([]);
    expect(stale([{ id: "ERR-022" }], [finding()], { "CHAT-020": "fail", "ERR-022": "fail" })).toEqual([]);
    // A night in which a race did not show says nothing.
    expect(stale([{ id: "ttft.p95" }, { id: "limits.over-admission" }, { id: limit.id }], [])).toEqual([]);
    expect(stale([{ id: "CHAT-020", verdict: "advisory" }], [finding()])).toEqual([]);
  });

  it("reports ids that name nothing: what they were to excuse would come as a surprise", () => {
    for (const id of ["T-999", "gate:ttft", "limits.over-admision", "T-999.abcde", "F003"]) {
      expect(stale([{ id }], [finding()])).toEqual([
        `the baseline lists ${id}, which is no requirement, limit check, gate or finding: correct or remove the entry`,
      ]);
    }
  });
});

describe("findingId", () => {
  it("depends on every part and on nothing else", () => {
    expect(findingId("CHAT-020", "a", "b")).toBe(findingId("CHAT-020", "a", "b"));
    const ids = [["a", "b"], ["ab"], ["b", "a"], ["a"], ["a", "b", ""], []].map((parts) => findingId("X", ...parts));
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => /^X\.[0-9a-z]{5}$/.test(id))).toBe(true);
    const many = Array.from({ length: 500 }, (_, index) => findingId("X", `kind ${index}`));
    expect(new Set(many).size).toBe(many.length);
  });

  it("says what is violated", () => {
    expect(violatedIn(findingId("limits.over-admission", "p"))).toBe("limits.over-admission");
    expect(violatedIn("CHAT-020")).toBeNull();
    expect(violatedIn("ttft.p95")).toBeNull();
    expect(violatedIn(".abcde")).toBeNull();
  });
});
