import { describe, expect, it } from "vitest";
import { modelsAreListed } from "../../../src/conformance/judges/models/models-are-listed.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";
import { modelList } from "../../../src/conformance/judges/models/model-list.ts";

const list = (...ids: readonly unknown[]): Exchange => makeExchange({ received: { data: ids.map((id) => ({ id })) } });
const chat = (model: unknown, draft: ExchangeDraft = {}): Exchange =>
  makeExchange({ seq: 2, endpoint: "chat", sent: { model }, ...draft });
const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(modelsAreListed, exchanges);

describe("models-are-listed", () => {
  it("wants the models that worked, each once", () => {
    expect(outcomes(list("a", "b"), chat("a"), chat("a", { seq: 3 }), chat("b", { seq: 4, endpoint: "embeddings" }))).toEqual([
      "MOD-009 pass #1 #2",
      "MOD-009 pass #1 #4",
    ]);
    expect(outcomes(list("1", "2", "3", "4", "5", "6", "7", "8", "9"), chat("a"))).toEqual([
      'MOD-009 fail #1 #2: the model a works but is not listed [expected an entry with the id a] [observed ["1","2","3","4","5","6","7","8"]]',
    ]);
  });

  it("reads every list of the conformance stage", () => {
    expect(outcomes(list("b"), chat("a"), { ...list("a"), seq: 3 })).toEqual(["MOD-009 pass #1 #2"]);
    expect(outcomes({ ...list("b"), stage: "load" }, chat("a"))).toEqual([]);
    expect(outcomes(makeExchange({ received: {} }), chat("a"))).toEqual([]);
  });

  it("is silent where an entry could be any model", () => {
    expect([...outcomes(list("b", ""), chat("a")), ...outcomes(list("b", 7), chat("a"))]).toEqual([]);
  });

  it("asks for no model that did not work in a valid request of the conformance stage", () => {
    for (const draft of [{ status: 422 }, { stage: "load" }, { endpoint: "images" }, { keyName: null }] as const) {
      expect(outcomes(list("b"), chat("a", draft))).toEqual([]);
    }
    expect(outcomes(list("b"), chat(7))).toEqual([]);
    expect(outcomes(list("b"), makeExchange({ seq: 2, endpoint: "chat" }))).toEqual([]);
  });
});

describe("model-list", () => {
  const outcomes = (...models: readonly unknown[]): readonly string[] =>
    printJudge(modelList, [makeExchange({ received: { data: models } })]).map((line) => line.slice(0, 12));

  it("wants at least one model and no identifier twice", () => {
    expect(outcomes()).toEqual(["MOD-011 fail"]);
    expect(outcomes({ id: "a" }, { id: "b" })).toEqual(["MOD-011 pass", "MOD-008 pass"]);
    expect(outcomes({ id: "a" }, { id: "a" })).toEqual(["MOD-011 pass", "MOD-008 fail"]);
    expect(outcomes({ id: "" }, { id: "" })).toEqual(["MOD-011 pass"]);
  });

  it.each([
    [0, "fail"],
    [1, "pass"],
    [wallMs / 1000 + 86_400, "pass"],
    [wallMs / 1000 + 86_402, "fail"],
    [wallMs, "fail"],
  ])("judges the creation time %d", (created, outcome) => {
    expect(outcomes({ created }).at(-1)).toBe(`MOD-006 ${outcome}`);
  });
});
