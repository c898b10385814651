import { describe, expect, it } from "vitest";
import { limitChecks } from "../../../src/core/result/checks/limit-checks.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { selectPolicies } from "../../../src/run/stages/select-policies.ts";

const asked = { stages: ["limits"], suites: [], cases: [], requirements: [] } as const;

describe("which limits a run drives", () => {
  it("is all of them where nothing is named", () => {
    expect([...selectPolicies(asked)].sort()).toEqual(["burst", "requests", "spend", "tokens"]);
  });

  it.each([
    ["BURST-001", ["burst"]],
    ["BURST-010", ["burst"]],
    ["RATE-018", ["requests"]],
    ["RATE-035", ["requests"]],
    ["RATE-032", ["tokens"]],
    ["SPEND-002", ["spend"]],
    ["CHAT-021", []],
  ])("is what shows %s", (requirement, policies) => {
    expect([...selectPolicies({ ...asked, requirements: [requirement] })].sort()).toEqual(policies);
  });

  it("is what a suite needs", () => {
    expect([...selectPolicies({ ...asked, suites: ["spend"] })]).toEqual(["spend"]);
    expect([...selectPolicies({ ...asked, stages: ["conformance", "limits"], suites: ["chat"] })]).toEqual([]);
  });

  it("drives something for each requirement of the exams", () => {
    const decided = new Set(limitChecks.flatMap(({ requirements }) => requirements));
    const rows = readCatalogue().filter(({ id, suite }) => decided.has(id) && (suite === "limits" || suite === "spend"));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter(({ id }) => selectPolicies({ ...asked, requirements: [id] }).size === 0)).toEqual([]);
  });
});
