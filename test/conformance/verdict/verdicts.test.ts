import { describe, expect, it } from "vitest";
import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { violationsOf } from "../../../src/conformance/verdict/settled-record.ts";
import type { RequirementResult } from "../../../src/core/result/conformance-result.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Requirement } from "../../../src/core/result/requirement.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { said, settle, type SettledRow } from "./settle-said.ts";
import { settleSuite } from "../../../src/conformance/verdict/judge-conformance.ts";

/** Verdict, reason, considered, violated, number of violations reported. */
function word([row, occurrences]: SettledRow): readonly unknown[] {
  const violations = violationsOf({ rows: new Map([[row.id, row]]), occurrences, bySeq: new Map() });
  return [row.verdict, row.reason, row.considered, row.violated, violations.length];
}

describe("settleRequirement", () => {
  it("says why nothing was judged", () => {
    expect(word(settle([]))).toEqual(["not-applicable", "nothing was seen", 0, 0, 0]);
    expect(word(settle([said("fail", [1], { conclusive: true })], { requirement: { exclusion: "not visible" } }))).toEqual([
      "excluded",
      "not visible",
      0,
      0,
      0,
    ]);
  });

  it("reports the first violation in the order of their words and counts the others", () => {
    const occurrences = [
      said("pass", [1]),
      said("fail", [3], { message: "b", conclusive: true }),
      said("advisory", [4], { message: "0" }),
      said("fail", [2], { message: "a", conclusive: true }),
    ];
    expect(word(settle(occurrences))).toEqual(["fail", "a (and 1 more)", 4, 2, 3]);
    expect(word(settle([said("fail", [3], { conclusive: true })]))).toEqual(["fail", "no reason given", 1, 1, 1]);
    expect(word(settle([said("fail", [3], { message: "m" })]))).toEqual([
      "inconclusive",
      "not confirmed: m; it was seen once and a repetition did not show it, or there was none",
      1,
      1,
      0,
    ]);
  });

  it("orders violations by their words, then by their exchanges, whatever came first", () => {
    const proven = { conclusive: true };
    const texts = ["c", "a", "d", "b"];
    for (const order of [texts, texts.toReversed(), ["a", "c"], ["c", "a"], ["b", "a", "c"], ["a", "b", "c"]]) {
      const settled = settle(order.map((message, index) => said("fail", [index + 1], { message, ...proven })));
      expect(settled[0].reason).toBe(`a (and ${order.length - 1} more)`);
    }
    const silent = said("fail", [2], proven);
    expect(settle([said("fail", [1], { message: "a", ...proven }), silent])[0].reason).toBe("no reason given (and 1 more)");
    expect(settle([silent, said("fail", [1], { message: "a", ...proven })])[0].reason).toBe("no reason given (and 1 more)");
  });

  it("takes violations for confirmed by repetition of one probe only if they are of different exchanges and the same judge", () => {
    const [first, again, other] = [
      makeExchange({ seq: 1 }),
      { ...makeExchange({ seq: 2 }), retryOf: 1 },
      makeExchange({ seq: 3 }),
    ];
    const exchanges = [first, again, other];
    const verdictOf = (...occurrences: readonly JudgedOccurrence[]): string => settle(occurrences, { exchanges })[0].verdict;
    expect(verdictOf(said("fail", [1]), said("fail", [2]))).toBe("fail");
    expect(verdictOf(said("fail", [1]), said("fail", [1]))).toBe("inconclusive");
    expect(verdictOf(said("fail", [1]), said("fail", [3]))).toBe("inconclusive");
    expect(verdictOf(said("fail", [1]), said("fail", [2], { judge: "k" }))).toBe("inconclusive");
    expect(verdictOf(said("fail", [1]), said("pass", [2]))).toBe("inconclusive");
    expect(verdictOf(said("fail", [1]), said("advisory", [2]))).toBe("inconclusive");
  });

  it("is content with one proven or one repeated violation beside others", () => {
    const exchanges = [makeExchange({ seq: 1 }), { ...makeExchange({ seq: 2 }), retryOf: 1 }, makeExchange({ seq: 3 })];
    const proven = said("fail", [3], { conclusive: true });
    expect(settle([said("fail", [1]), proven], { exchanges })[0].verdict).toBe("fail");
    expect(settle([said("fail", [1]), said("fail", [2]), said("fail", [3])], { exchanges })[0].verdict).toBe("fail");
    expect(settle([said("fail", [1])], { exchanges, requirement: { level: "should" } })[0].verdict).toBe("advisory");
  });

  it("takes two refusals that a schedule drove for a confirmation", () => {
    const intent = { kind: "limit", policy: "requests", phase: "D" } as const;
    const exchanges = [makeExchange({ seq: 1, intent }), makeExchange({ seq: 2, intent })];
    expect(settle([said("fail", [1]), said("fail", [2])], { exchanges })[0].verdict).toBe("fail");
  });

  it("takes two violations outside the conformance stage, where nothing is repeated, for a confirmation", () => {
    const under = (stage: Exchange["stage"]): readonly Exchange[] => [
      makeExchange({ seq: 1, stage }),
      makeExchange({ seq: 2, stage }),
    ];
    const twice = [said("fail", [1]), said("fail", [2])];
    expect(settle(twice, { exchanges: under("load") })[0].verdict).toBe("fail");
    expect(settle(twice, { exchanges: under("limits") })[0].verdict).toBe("fail");
    expect(settle(twice, { exchanges: under("conformance") })[0].verdict).toBe("inconclusive");
    expect(settle([said("fail", [1]), said("fail", [1])], { exchanges: under("load") })[0].verdict).toBe("inconclusive");
  });

  it("lets a certain answer outrank a doubt of the same probe, and reports doubts of others", () => {
    const exchanges = [makeExchange({ seq: 1 }), { ...makeExchange({ seq: 2 }), retryOf: 1 }, makeExchange({ seq: 3 })];
    const doubt = said("inconclusive", [1], { message: "busy" });
    expect(word(settle([doubt, said("pass", [2])], { exchanges }))).toEqual(["pass", null, 1, 0, 0]);
    expect(word(settle([doubt, said("pass", [3])], { exchanges }))).toEqual(["inconclusive", "busy", 2, 0, 0]);
    expect(word(settle([doubt, said("advisory", [3])], { exchanges }))[0]).toBe("inconclusive");
  });

  it("weighs by level and suite", () => {
    const proven = [said("fail", [1], { message: "m", conclusive: true }), said("advisory", [2], { message: "l" })];
    const under = (requirement: Partial<Requirement>, strict = false): readonly unknown[] =>
      word(settle(proven, { requirement, strict }));
    expect(under({ level: "must" })).toEqual(["fail", "m", 2, 1, 2]);
    expect(under({ level: "implied" })).toEqual(["fail", "m", 2, 1, 2]);
    expect(under({ level: "should" })).toEqual(["advisory", "m", 2, 1, 2]);
    expect(under({ level: "should" }, true)).toEqual(["fail", "m", 2, 1, 2]);
    expect(under({ level: "may" })).toEqual(["observed", "m", 2, 1, 0]);
    expect(under({ level: "unspecified" }, true)).toEqual(["observed", "m", 2, 1, 0]);
    expect(under({ level: "unspecified", suite: "convention" })).toEqual(["fail", "m", 2, 1, 2]);
  });

  it("fails lenient readings only when it is strict, and never those of the overlay", () => {
    const lenient = [said("advisory", [1], { message: "m" }), said("pass", [2])];
    expect(word(settle(lenient))).toEqual(["advisory", "m", 2, 0, 1]);
    expect(word(settle(lenient, { strict: true }))).toEqual(["fail", "m", 2, 0, 1]);
    expect(word(settle(lenient, { strict: true, requirement: { suite: "convention" } }))[0]).toBe("advisory");
  });

  it("lists up to six distinct answers in order", () => {
    const answers = ["g", "b", "a", "b", "c", "d", "e", "f"].map((answer, index) => said("observed", [index + 1], { answer }));
    expect(word(settle(answers))).toEqual(["observed", "a; b; c; d; e; f", 8, 0, 0]);
    expect(word(settle([said("observed", [1], { message: "m" }), said("observed", [2]), said("pass", [3])]))).toEqual([
      "observed",
      "m; recorded",
      3,
      0,
      0,
    ]);
  });
});

function result(verdict: RequirementResult["verdict"], more: Partial<RequirementResult> = {}): RequirementResult {
  return {
    id: "T-001",
    suite: "chat",
    level: "must",
    section: "S",
    text: "t",
    verdict,
    reason: null,
    considered: 1,
    violated: 0,
    judges: [],
    exchanges: [],
    findings: [],
    reading: null,
    ...more,
  };
}

describe("settleSuite", () => {
  it.each([
    [["pass", "advisory", "observed", "excluded"], "conformant"],
    [["pass", "fail", "untested"], "non-conformant"],
    [["pass", "untested"], "conformant"],
    [["pass", "inconclusive"], "incomplete"],
    [["untested"], "untested"],
    [["excluded"], "untested"],
    [[], "untested"],
  ] as const)("calls %j of its MUSTs %s", (verdicts, expected) => {
    const rows = verdicts.map((verdict) => result(verdict));
    const foreign = [
      result("fail", { suite: "core" }),
      result("fail", { level: "should" }),
      result("untested", { level: "may" }),
    ];
    expect(settleSuite("chat", [...rows, ...foreign]).verdict).toBe(expected);
  });

  it("lets all rows of the overlay count, and counts by level", () => {
    const rows = [
      result("fail", { suite: "convention", level: "unspecified" }),
      result("pass", { suite: "convention", level: "may" }),
      result("pass", { suite: "convention", level: "may" }),
      result("pass"),
    ];
    expect(settleSuite("convention", rows)).toEqual({
      id: "convention",
      verdict: "non-conformant",
      counts: { must: {}, implied: {}, should: {}, may: { pass: 2 }, unspecified: { fail: 1 } },
    });
  });
});
