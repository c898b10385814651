import { openJudgeContext } from "../../../src/run/judge-context.ts";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../src/core/manifest.ts";
import { suiteIds } from "../../../src/core/result/requirement.ts";
import { judgeConformance, type JudgedConformance } from "../../../src/conformance/verdict/judge-conformance.ts";
import { explainRequirement, similarRequirements } from "../../../src/conformance/plan/explain-requirement.ts";
import { HarnessFault } from "../../../src/conformance/judging/harness-fault.ts";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import type { Judge } from "../../../src/conformance/judging/judge.ts";
import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { readReadings } from "../../../src/schemas/read-catalogue.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { contextWith } from "../../suites/judge-with.ts";
import { allCases } from "../../../suites/all-cases.ts";
import { catalogue, type Examined, examineReference } from "../examine-reference.ts";

describe("judgeConformance", async () => {
  const examined = await examineReference({ suites: ["core", "chat"], mutants: ["errors/details-missing"] });

  function judge(changes: {
    readonly exchanges?: Examined["exchanges"];
    readonly strict?: boolean;
    readonly judges?: readonly Judge[];
    readonly occurrences?: readonly JudgedOccurrence[];
  }): JudgedConformance {
    return judgeConformance({
      exchanges: changes.exchanges ?? examined.exchanges,
      catalogue,
      judges: changes.judges ?? allJudges,
      context: openJudgeContext(examined.manifest),
      suites: examined.plan.suites,
      untested: examined.plan.untested,
      cases: allCases,
      strict: changes.strict ?? false,
      occurrences: changes.occurrences ?? [],
    });
  }

  it("lists the findings that another stage has made, each once, and writes none of its own for them", () => {
    const reported = (findings: readonly string[]): JudgedOccurrence => ({
      requirement: "RATE-018",
      outcome: "fail",
      exchanges: [examined.exchanges[0]!.seq],
      message: "one too many",
      kind: "over-admission",
      judge: "limit-checks",
      conclusive: true,
      findings,
    });
    const { result, findings } = judge({ occurrences: [reported(["L001", "L002"]), reported(["L002", "L003"])] });
    const row = result.requirements.find(({ id }) => id === "RATE-018");
    expect([row?.verdict, row?.findings]).toEqual(["fail", ["L001", "L002", "L003"]]);
    expect(findings.filter(({ requirement }) => requirement === "RATE-018")).toEqual([]);
  });

  it("judges no row that was not asked for, whatever was seen of it in passing", () => {
    const seen = (outcome: "pass" | "observed" | "inconclusive"): JudgedOccurrence => ({
      requirement: "RATE-035",
      outcome,
      exchanges: [examined.exchanges[0]!.seq],
      message: "seen",
      answer: "seen",
      judge: "test",
      conclusive: true,
    });
    const rowWith = (...occurrences: JudgedOccurrence[]): unknown =>
      judge({ occurrences }).result.requirements.find(({ id }) => id === "RATE-035");
    const unseen = rowWith();
    expect(unseen).toMatchObject({ verdict: "untested", untested: "not-selected" });
    for (const outcome of ["pass", "observed", "inconclusive"] as const) expect(rowWith(seen(outcome))).toEqual(unseen);
  });

  it("reports a violation of a row that was not asked for, and marks the row", () => {
    const violated: JudgedOccurrence = {
      requirement: "RATE-018",
      outcome: "fail",
      exchanges: [examined.exchanges[0]!.seq],
      message: "one too many",
      kind: "over-admission",
      judge: "test",
      conclusive: true,
    };
    const { result, findings } = judge({ occurrences: [violated] });
    expect(result.requirements.find(({ id }) => id === "RATE-018")).toMatchObject({ verdict: "fail", inPassing: true });
    expect(findings.map(({ requirement }) => requirement)).toContain("RATE-018");
  });

  it("gives the same bytes again, from a saved record in any order", () => {
    const saved = JSON.parse(JSON.stringify(examined.exchanges.toReversed())) as Examined["exchanges"];
    const again = judge({ exchanges: saved });
    expect(JSON.stringify(again)).toBe(JSON.stringify({ result: examined.result, findings: examined.findings }));
  });

  it("gives every requirement a verdict, and a reason wherever it neither passes nor fails", () => {
    expect(examined.result.requirements.map((row) => row.id)).toEqual(catalogue.map((row) => row.id));
    const silent = examined.result.requirements.filter(
      (row) => !["pass", "fail"].includes(row.verdict) && (row.reason ?? "") === "",
    );
    expect(silent.map((row) => row.id)).toEqual([]);
  });

  it("reports a finding in full", () => {
    const finding = examined.findings.find((one) => one.requirement === "ERR-005")!;
    expect(finding).toMatchObject({
      id: expect.stringMatching(/^ERR-005\.[0-9a-z]{5}$/) as string,
      stage: "conformance",
      level: "must",
      verdict: "fail",
    });
    expect(finding.sent).toMatch(/^POST \/v1\/chat\/completions with/);
    expect(finding.spec).toBe("Errors; reading AMB-39");
    expect(finding.curl).toContain("--data-binary");
    expect(finding.exchanges.length).toBeLessThanOrEqual(5);
    expect(finding.more).toBeGreaterThan(0);
    expect(JSON.stringify(examined.findings)).not.toContain(examined.manifest.keys["primary"]?.secret);
  });

  it("says why rows of other suites were not judged", () => {
    const row = examined.result.requirements.find((one) => one.id === "IMG-001");
    expect(row).toMatchObject({ verdict: "untested", reason: "not-selected: the suite images was not selected" });
    expect(examined.result.suites.map((suite) => suite.id)).toEqual(["core", "chat"]);
    expect(suiteIds).toContain("images");
  });

  it("calls a judge that strays a fault of ours", () => {
    const stray: Judge = {
      scope: "run",
      id: "stray",
      covers: ["CHAT-001"],
      judge: () => [{ requirement: "CHAT-002", outcome: "pass", exchanges: [1] }],
    };
    expect(() => judge({ judges: [stray] })).toThrow(HarnessFault);
    const unknown: Judge = {
      scope: "run",
      id: "unknown",
      covers: ["NOPE-001"],
      judge: () => [{ requirement: "NOPE-001", outcome: "pass", exchanges: [1] }],
    };
    expect(() => judge({ judges: [unknown] })).toThrow(HarnessFault);
  });
});

describe("a judge that fails on what a target sent", () => {
  const sent = [makeExchange({ seq: 4, received: { object: "list" } }), makeExchange({ seq: 9, received: { data: [] } })];
  const failing: Judge = {
    scope: "exchange",
    id: "brittle",
    covers: ["SVC-007"],
    judge(exchange, outcomes) {
      if (exchange.seq === 9) throw new RangeError("Maximum call stack size exceeded");
      outcomes.pass("SVC-007");
    },
  };
  const judged = judgeConformance({
    exchanges: sent,
    catalogue,
    judges: [failing],
    context: contextWith({ target: { baseUrl: "http://127.0.0.1:1" } as Manifest["target"] }),
    suites: ["models"],
    untested: new Map(),
    strict: false,
  });

  it("is a finding about that exchange, and its requirement is no pass", () => {
    expect(judged.result.requirements.find(({ id }) => id === "SVC-007")).toMatchObject({
      verdict: "inconclusive",
      reason: "the judge brittle failed on #9: Maximum call stack size exceeded",
    });
    expect(judged.result.suites.map(({ verdict }) => verdict)).toEqual(["incomplete"]);
    expect(judged.findings).toEqual([
      expect.objectContaining({ stage: "harness", check: "brittle", verdict: "advisory", exchanges: [9] }),
    ]);
  });
});

describe("explainRequirement", () => {
  const knowledge = { catalogue, readings: readReadings(), judges: allJudges, cases: allCases };

  it("knows reading, judges and cases of a row, whatever the case of its id", () => {
    const explained = explainRequirement("chat-036", knowledge)!;
    expect(explained.requirement.id).toBe("CHAT-036");
    expect(explained.reading?.id).toBe("AMB-03");
    expect(explained.judges).toContain("rejects-as-stated");
    expect(explained.cases.map((one) => one.id)).toContain("chat/rejects-bad-reasoning-effort");
  });

  it("offers neighbours for an id that does not exist", () => {
    expect(explainRequirement("CHAT-999", knowledge)).toBeNull();
    expect(similarRequirements("CHAT-999", catalogue)[0]).toBe("CHAT-001");
  });
});
