import { describe, expect, it } from "vitest";
import { limitChecks } from "../../../src/core/result/checks/limit-checks.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { allExamStages } from "../../../src/limits/probe/exam-stages.ts";
import { selectStages } from "../../../src/run/stages/select-stages.ts";

const asked = { stages: ["limits"], suites: [], cases: [], requirements: [] } as const;

const policiesIn = (stages: ReadonlySet<string>): readonly string[] =>
  [...new Set([...stages].map((stage) => stage.split(".")[0]!))].sort();

describe("which stages of the exams a run sends", () => {
  it("is all of them where nothing is named", () => {
    expect([...selectStages(asked)].sort()).toEqual([...allExamStages].sort());
  });

  it.each([
    ["BURST-001", ["burst"]],
    ["BURST-010", ["burst"]],
    ["RATE-018", ["requests"]],
    ["RATE-035", ["requests"]],
    ["RATE-032", ["tokens"]],
    ["SPEND-002", ["spend"]],
    ["RATE-024", ["burst", "requests", "tokens"]],
    ["CHAT-021", []],
  ])("belongs to the limits that show %s", (requirement, policies) => {
    expect(policiesIn(selectStages({ ...asked, requirements: [requirement] }))).toEqual(policies);
  });

  it.each([
    ["RATE-025", ["requests.drain", "requests.look", "requests.visits"]],
    ["RATE-021", ["requests.drain", "requests.endpoints", "requests.look"]],
    ["RATE-027", ["requests.look"]],
    ["RATE-032", ["tokens.beyond", "tokens.look"]],
    ["BURST-009", ["burst.queue"]],
    ["BURST-005", ["burst.volley"]],
    ["SPEND-012", ["spend.capped", "spend.price", "spend.raised"]],
  ])("is what shows %s, with what must come before it", (requirement, stages) => {
    expect([...selectStages({ ...asked, requirements: [requirement] })].sort()).toEqual(stages);
  });

  it("is what a check needs that was asked for by its id, not every check of its rows", () => {
    const narrowed = { ...asked, requirements: ["RATE-024"], checks: ["burst.retry-after-too-short"] };
    expect([...selectStages(narrowed)].sort()).toEqual(["burst.one-by-one", "burst.volley"]);
  });

  it("is what a check needs whose rows belong to suites that have no exam", () => {
    const narrowed = { ...asked, requirements: ["KEY-010"], checks: ["spend.zero-ignored"] };
    expect([...selectStages(narrowed)].sort()).toEqual(["spend.capped", "spend.price"]);
  });

  it("is what a suite needs", () => {
    expect(policiesIn(selectStages({ ...asked, suites: ["spend"] }))).toEqual(["spend"]);
    expect([...selectStages({ ...asked, stages: ["conformance", "limits"], suites: ["chat"] })]).toEqual([]);
  });

  it("is something for each requirement of the exams", () => {
    const decided = new Set(limitChecks.flatMap(({ requirements }) => requirements));
    const rows = readCatalogue().filter(({ id, suite }) => decided.has(id) && (suite === "limits" || suite === "spend"));
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.filter(({ id }) => selectStages({ ...asked, requirements: [id] }).size === 0)).toEqual([]);
  });
});
