import { describe, expect, it } from "vitest";
import type { Case } from "../../../src/conformance/plan/case.ts";
import { chooseConfirmations } from "../../../src/conformance/verdict/choose-confirmations.ts";
import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { said } from "./settle-said.ts";

describe("chooseConfirmations", () => {
  const cases = ["a", "b", "c", "d"].map(
    (id, index) => ({ id, cost: { requests: { chat: [40, 9, 2, 9][index], models: 1 }, tokens: 0 } }) as unknown as Case,
  );
  const exchanges = ["a", "b", "c", "d", "unknown"].map((caseId, index) => makeExchange({ seq: index + 1, caseId }));
  const choose = (...occurrences: readonly JudgedOccurrence[]): readonly string[] =>
    chooseConfirmations(occurrences, exchanges, cases).map(({ id }) => id);

  it("repeats cases with a failure that the record does not prove", () => {
    expect(choose(said("fail", [2]))).toEqual(["b"]);
    expect(choose(said("fail", [2], { conclusive: true }))).toEqual([]);
    expect(choose(said("advisory", [2]), said("inconclusive", [3]))).toEqual([]);
    expect(choose(said("fail", [5]), said("fail", [77]), said("fail", []))).toEqual([]);
  });

  it("does not count a case that cannot be repeated for a candidate", () => {
    const other = { requirement: "T-002" };
    expect(choose(said("fail", [3], other), said("fail", [4], other), said("fail", [3]), said("fail", [5]))).toEqual(["c"]);
  });

  it("repeats two cases of a requirement at most, those that confirm others first", () => {
    expect(choose(said("fail", [4]), said("fail", [3]), said("fail", [2]))).toEqual(["b", "c"]);
    expect(choose(said("fail", [4]), said("fail", [2]))).toEqual(["b", "d"]);
    const other = { requirement: "T-002" };
    expect(choose(said("fail", [2]), said("fail", [3]), said("fail", [4]), said("fail", [4], other))).toEqual(["c", "d"]);
    expect(
      choose(said("fail", [4], other), said("fail", [1], other), said("fail", [1]), said("fail", [2]), said("fail", [4])),
    ).toEqual(["a", "d"]);
  });

  it("repeats the cheapest cases where every answer is wrong, and the first where one is right", () => {
    const wrong = [1, 2, 3, 4].map((seq) => said("fail", [seq]));
    expect(choose(...wrong)).toEqual(["b", "c"]);
    expect(choose(...wrong, said("pass", [3], { requirement: "T-002" }))).toEqual(["b", "c"]);
    expect(choose(...wrong, said("pass", [3]))).toEqual(["a", "b"]);
  });
});
