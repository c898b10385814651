import { describe, expect, it } from "vitest";
import { judgeConformance, type JudgeConformanceOptions } from "../../../src/conformance/verdict/judge-conformance.ts";
import { judgeExchanges } from "../../../src/conformance/verdict/judge-exchanges.ts";
import type { Judge, Occurrence, RunJudge } from "../../../src/conformance/judging/judge.ts";
import { findingId } from "../../../src/core/result/finding-id.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { suiteIds } from "../../../src/core/result/requirement.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import { decideVerdict, type Judged } from "../../../src/run/verdict/decide-verdict.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { contextWith } from "../../suites/judge-with.ts";
import { makeJudged } from "../../make/exchanges/make-judged.ts";
import { makeRequirement } from "../../make/results/make-requirement.ts";

const rows = ["A-1", "A-2"].map((id) => makeRequirement({ id, suite: "chat", text: `text of ${id}`, how: ["passive"] }));

/** A judge that says of each exchange what the test wants. */
function saying(id: string, outcome: Occurrence["outcome"], more: Partial<Occurrence> = {}, proven = false): RunJudge {
  return {
    scope: "run",
    id,
    covers: ["A-1", "A-2", "A-3"],
    conclusive: proven,
    *judge(exchanges) {
      for (const { seq } of exchanges)
        yield { requirement: "A-1", outcome, exchanges: [seq], kind: more.message ?? "m", ...more };
    },
  };
}

const context = contextWith({ target: { baseUrl: "http://h" } } as unknown as Partial<Manifest>);

function judge(judges: readonly Judge[], more: Partial<JudgeConformanceOptions> = {}): ReturnType<typeof judgeConformance> {
  return judgeConformance({
    exchanges: [makeExchange({ seq: 2 }), makeExchange({ seq: 1 })],
    catalogue: rows,
    judges,
    context,
    suites: ["chat"],
    untested: new Map(),
    strict: false,
    ...more,
  });
}

describe("judgeExchanges", () => {
  it("shows each judge the exchanges in the order of the run, and names the judge", () => {
    const run: RunJudge = {
      scope: "run",
      id: "run",
      covers: ["A-2"],
      *judge(exchanges) {
        yield { requirement: "A-2", outcome: "pass", exchanges: exchanges.map(({ seq }) => seq) };
      },
    };
    const exchanges = [makeExchange({ seq: 3 }), makeExchange({ seq: 1 }), makeExchange({ seq: 2 })];
    expect(judgeExchanges(exchanges, [run, saying("one", "fail", { message: "m" }, true)], context)).toEqual([
      { requirement: "A-2", outcome: "pass", exchanges: [1, 2, 3], judge: "run", conclusive: false },
      { requirement: "A-1", outcome: "fail", exchanges: [1], kind: "m", message: "m", judge: "one", conclusive: true },
      { requirement: "A-1", outcome: "fail", exchanges: [2], kind: "m", message: "m", judge: "one", conclusive: true },
      { requirement: "A-1", outcome: "fail", exchanges: [3], kind: "m", message: "m", judge: "one", conclusive: true },
    ]);
    expect(exchanges.map(({ seq }) => seq)).toEqual([3, 1, 2]);
  });

  it("stops a judge that speaks of what it does not cover, unless the intent binds it", () => {
    const stray = { ...saying("stray", "pass"), covers: ["A-2"] };
    expect(() => judgeExchanges([makeExchange()], [stray], context)).toThrow("judge stray yielded A-1, which it does not cover");
    expect(judgeExchanges([makeExchange()], [{ ...stray, boundByIntent: true }], context)).toHaveLength(1);
  });
});

describe("judgeConformance", () => {
  it("settles every row of the catalogue and names the findings of each", () => {
    const other = { ...saying("other", "fail", { requirement: "A-2", message: "n" }, true) };
    const { result, findings } = judge([saying("one", "fail", { message: "m" }, true), other]);
    const shared = { suite: "chat", level: "must", section: "S", verdict: "fail", considered: 2, violated: 2, exchanges: [1, 2] };
    const expected = [
      ["A-1", "m", "one"],
      ["A-2", "n", "other"],
    ].map(([id, words, judge]) => ({
      ...shared,
      id,
      text: `text of ${id}`,
      reason: `${words} (and 1 more)`,
      judges: [judge],
      findings: [findingId(id!, words!)],
      reading: null,
    }));
    expect(result.requirements.map((one) => ({ ...one }))).toEqual(expected);
    expect(findings.map(({ id, requirement, exchanges }) => [id, requirement, exchanges])).toEqual([
      [findingId("A-1", "m"), "A-1", [1, 2]],
      [findingId("A-2", "n"), "A-2", [1, 2]],
    ]);
    expect(result.suites.map(({ id, verdict }) => [id, verdict])).toEqual([["chat", "non-conformant"]]);
  });

  it("lists several kinds of violation of one row, each with its id", () => {
    const { result, findings } = judge([
      saying("one", "fail", { message: "m" }, true),
      saying("two", "fail", { message: "of another kind" }, true),
    ]);
    expect(result.requirements[0]?.findings).toEqual(findings.map(({ id }) => id));
    expect(result.requirements[0]?.judges).toEqual(["one", "two"]);
    expect(findings.map(({ check }) => check).toSorted()).toEqual(["one", "two"]);
  });

  it("says why a row has no verdict: not selected, not possible, not seen", () => {
    const reasons = (more: Partial<JudgeConformanceOptions>): readonly (string | null)[] =>
      judge([], more).result.requirements.map(({ reason }) => reason);
    expect(reasons({ suites: ["core"] })).toEqual([
      "not-selected: the suite chat was not selected",
      "not-selected: the suite chat was not selected",
    ]);
    expect(reasons({ untested: new Map([["A-2", { reason: "no-fixture", text: "no key" } as const]]) })).toEqual([
      "no response of this run met its condition",
      "no-fixture: no key",
    ]);
  });

  it("shows at most five exchanges in order, those of violations first", () => {
    const exchanges = [7, 6, 5, 4, 3, 2, 1].map((seq) => makeExchange({ seq }));
    expect(judge([saying("one", "pass")], { exchanges }).result.requirements[0]?.exchanges).toEqual([1, 2, 3, 4, 5]);
    const picky: RunJudge = {
      ...saying("one", "pass", {}, true),
      *judge(all) {
        for (const { seq } of all)
          yield { requirement: "A-1", outcome: seq > 5 ? "fail" : "pass", exchanges: [seq, 1], kind: "m" };
      },
    };
    expect(judge([picky], { exchanges }).result.requirements[0]?.exchanges).toEqual([1, 6, 7]);
  });

  it("names judges in the order of their names, and what was sent", () => {
    const { result, findings } = judge([saying("two", "fail", { message: "m" }, true), saying("one", "pass")]);
    expect(result.requirements[0]?.judges).toEqual(["one", "two"]);
    expect(findings.map(({ sent, curl }) => [sent, curl])).toEqual([["GET /v1/models", "curl -sS -i http://h/v1/models"]]);
  });

  it("gathers equal answers where the specification is silent", () => {
    const answers: RunJudge = {
      ...saying("one", "observed"),
      *judge(all) {
        for (const { seq } of all) {
          yield { requirement: "A-1", outcome: "observed", exchanges: [seq], answer: seq === 2 ? "a" : "b" };
          yield { requirement: "A-2", outcome: "observed", exchanges: [seq], ...(seq === 2 ? { message: "m" } : {}) };
          yield { requirement: "A-2", outcome: "pass", exchanges: [seq] };
          if (seq === 9) yield { requirement: "A-2", outcome: "observed", exchanges: [9, 8], answer: "c" };
        }
      },
    };
    const exchanges = [9, 8, 7, 6, 5, 4, 3, 2, 1].map((seq) => makeExchange({ seq }));
    const entry = (id: string, answer: string, seqs: readonly number[]): object => ({
      requirement: id,
      question: `text of ${id}`,
      answer,
      exchanges: seqs,
    });
    expect(judge([answers], { exchanges }).result.leniency).toEqual([
      entry("A-1", "a", [2]),
      entry("A-1", "b", [1, 3, 4, 5, 6]),
      entry("A-2", "c", [8, 9]),
      entry("A-2", "m", [2]),
      entry("A-2", "recorded", [1, 3, 4, 5, 6]),
    ]);
  });

  it("hears other stages, and stops where a judge names no row of the catalogue", () => {
    const heard = {
      requirement: "A-2",
      outcome: "fail",
      exchanges: [1],
      judge: "limits",
      conclusive: true,
      kind: "l",
    } as const;
    expect(judge([], { occurrences: [heard] }).findings.map(({ requirement, check }) => [requirement, check])).toEqual([
      ["A-2", "limits"],
    ]);
    expect(() => judge([saying("one", "pass", { requirement: "A-3" })])).toThrow(
      "judge one yields A-3, which is not in the catalogue",
    );
  });

  it("turns advisories into failures only when it is strict", () => {
    const lenient = saying("one", "advisory", { message: "m" });
    expect(judge([lenient]).result.requirements[0]?.verdict).toBe("advisory");
    expect(judge([lenient], { strict: true }).result.requirements[0]?.verdict).toBe("fail");
  });
});

describe("decideVerdict", () => {
  const suite = (id: "chat" | "usage"): object => ({ id, verdict: "incomplete", counts: {} });
  const conformance = { suites: [suite("chat"), suite("usage")] } as unknown as Judged["conformance"];
  const profile = (gates: readonly object[], reasons: readonly string[]): LoadProfileResult =>
    ({
      id: "p",
      gates,
      steps: [],
      knee: null,
      validity: { valid: reasons.length === 0, reasons },
    }) as unknown as LoadProfileResult;

  it("lists every gap, so that one can be read from the other", () => {
    const open = { verdict: "inconclusive", expression: "e", reason: null };
    // The gates of an invalid profile are open for the reasons that make it invalid.
    const load = { profiles: [profile([open, open], ["slow", "late"]), profile([open, open], [])] } as unknown as Judged["load"];
    expect(decideVerdict(makeJudged({ conformance, load })).reason).toBe(
      "load p is not valid: slow, late; load p: e (inconclusive), e (inconclusive)",
    );
    expect(decideVerdict(makeJudged({ invalidBecause: ["a", "b"] })).reason).toBe("a; b");
    const findings = [{ stage: "conformance", verdict: "fail", baselined: false }] as unknown as Judged["findings"];
    expect(decideVerdict(makeJudged({ findings, invalidBecause: ["a"] })).reason).toMatch(/^1 failure in .*; a$/);
  });

  it("says which suites a good verdict is about", () => {
    const conformant = (ids: readonly string[]): string => {
      const suites = suiteIds.map((id) => ({ id, verdict: ids.includes(id) ? "conformant" : "untested" }));
      const scope = { judged: 40, open: [], unmet: [] } as unknown as Judged["scope"];
      return decideVerdict(makeJudged({ scope, conformance: { suites } as unknown as Judged["conformance"] })).reason;
    };
    const all = suiteIds.filter((id) => id !== "convention");
    expect(conformant(suiteIds)).toBe("conformant in scope (40 requirements)");
    expect(conformant(all)).toBe("conformant in scope (40 requirements)");
    expect(conformant(all.slice(-2))).toBe("conformant in scope (40 requirements of scopes, faults)");
    expect(conformant(all.slice(3))).toBe("conformant in scope (40 requirements)");
  });

  it("says of an interrupted run what its report holds", () => {
    expect(decideVerdict(makeJudged({ interrupted: "SIGINT" }))).toEqual({
      verdict: "interrupted",
      reason: "interrupted: the report holds what was judged until then",
      exitCode: 130,
    });
  });
});
