import { describe, expect, it } from "vitest";
import { conventionChunks } from "../../../src/conformance/judges/convention/convention-chunks.ts";
import { conventionTools } from "../../../src/conformance/judges/convention/convention-tools.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { base, chunk, done, first, good, last, streamed } from "../../make/exchanges/make-stream.ts";
import { printJudge } from "./print-occurrences.ts";

/** Rows that do not pass, with what is said. */
function faults(exchange: Exchange): readonly string[] {
  return printJudge(conventionChunks, [exchange])
    .filter((line) => line.includes(" fail "))
    .map((line) => line.replace(/ \[expected .*/, "").replace("fail #1: ", ""));
}

describe("convention-chunks", () => {
  it("passes the usual chunks", () => {
    expect(printJudge(conventionChunks, [streamed(good)])).toEqual([
      "SVC-013 observed #1 = streams the chunks of the usual convention",
      "XOAI-001 pass #1",
      "XOAI-002 pass #1",
      "XOAI-003 pass #1",
      "XOAI-004 pass #1",
      "XOAI-005 pass #1",
      "XOAI-006 pass #1",
    ]);
    expect(faults(streamed([first, chunk({ content: null }), { ...base, choices: [], usage: {} }, last, done]))).toEqual([]);
    expect(faults(streamed([first, { error: { code: "overloaded" } }, last, done]))).toEqual([]);
  });

  it.each([
    ["a payload that is a number", [first, "7", last, done], ["XOAI-001 a payload is no JSON object: 7"]],
    ["a payload that is no JSON", [first, "{", last, done], ["XOAI-001 a payload is no JSON object: {"]],
    ["a long payload", [first, "x".repeat(81), last, done], [`XOAI-001 a payload is no JSON object: ${"x".repeat(80)}`]],
    ["another object", [first, chunk({}, null, { object: "x" }), last, done], ['XOAI-001 a chunk has object "x"']],
    ["no choices", [first, base, last, done], ["XOAI-002 a chunk has no list of choices"]],
    ["a choice that is null", [first, { ...base, choices: [null] }, last, done], ["XOAI-002 a choice is no object"]],
    [
      "no delta",
      [first, { ...base, choices: [{ index: 0, finish_reason: null }] }, last, done],
      ["XOAI-002 a choice has no object delta"],
    ],
    ["content that is a number", [first, chunk({ content: 7 }), last, done], ["XOAI-002 delta.content is 7"]],
    [
      "no choice at all",
      [{ ...base, choices: [] }, done],
      ["XOAI-002 no chunk holds a delta", "XOAI-003 the stream ends without a finish_reason", "XOAI-006 no chunk holds a choice"],
    ],
    [
      "no finish_reason member",
      [first, { ...base, choices: [{ index: 0, delta: {} }] }, last, done],
      ["XOAI-003 a chunk has no finish_reason"],
    ],
    ["an empty finish_reason", [first, chunk({}, ""), last, done], ['XOAI-003 finish_reason is "" instead of null']],
    ["a number for finish_reason", [first, chunk({}, 7), last, done], ["XOAI-003 finish_reason is 7"]],
    ["more after the end", [first, last, chunk({ content: "x" }), done], ["XOAI-003 a choice goes on after its finish_reason"]],
    ["no end", [first, done], ["XOAI-003 the stream ends without a finish_reason"]],
    ["two terminators", [first, last, done, done], ["XOAI-004 [DONE] is sent more than once"]],
    ["a terminator in between", [first, done, last], ["XOAI-004 events follow [DONE]"]],
    ["no terminator", [first, last], ["XOAI-004 the stream ends without [DONE]"]],
    [
      "many ids",
      ["b", "c", "d"].map((id) => chunk({ role: "assistant" }, "stop", { id, choices: [] })).concat(first, last),
      ["XOAI-004 the stream ends without [DONE]", 'XOAI-005 id changes inside the stream: "b", "c", "d"'],
    ],
    ["another id", [first, chunk({}, null, { id: "c2" }), last, done], ['XOAI-005 id changes inside the stream: "c1", "c2"']],
    [
      "no model",
      [{ ...first, model: undefined }, { ...last, model: undefined }, done],
      ["XOAI-005 model is missing from the chunks"],
    ],
    ["no id", [{ ...first, id: undefined }, { ...last, id: undefined }, done], ["XOAI-005 id is missing from the chunks"]],
    [
      "no time",
      [{ ...first, created: undefined }, { ...last, created: undefined }, done],
      ["XOAI-005 created is missing from the chunks"],
    ],
    ["another time", [first, chunk({}, null, { created: 2 }), last, done], ["XOAI-005 created changes inside the stream: 1, 2"]],
    [
      "another model",
      [first, chunk({}, null, { model: "n" }), last, done],
      ['XOAI-005 model changes inside the stream: "m", "n"'],
    ],
    ["a number for the last finish_reason", [first, chunk({}, 7), done], ["XOAI-003 finish_reason is 7"]],
    ["an empty last finish_reason", [first, chunk({}, ""), done], ['XOAI-003 finish_reason is "" instead of null']],
    ["a role only beside an error", [{ ...first, error: {} }, last, done], ["XOAI-006 the first chunk has role nothing"]],
    [
      "another choice without a role",
      [first, { ...base, choices: [{ index: 1, delta: {}, finish_reason: "stop" }] }, done],
      ["XOAI-003 the stream ends without a finish_reason", "XOAI-006 the first chunk has role nothing"],
    ],
    ["another role", [chunk({ role: "bot" }), last, done], ['XOAI-006 the first chunk has role "bot"']],
    ["no role", [chunk({}), last, done], ["XOAI-006 the first chunk has role nothing"]],
  ] as const)("states %s", (_, payloads, reported) => {
    expect(faults(streamed(payloads))).toEqual(reported);
  });

  it("follows each choice by its index", () => {
    const two = (reasons: readonly unknown[]): object => ({
      ...base,
      choices: reasons.map((reason, index) => ({ index, delta: { role: "assistant" }, finish_reason: reason })),
    });
    expect(faults(streamed([two([null, null]), two(["stop", null]), done]))).toEqual([
      "XOAI-003 the stream ends without a finish_reason",
    ]);
    expect(faults(streamed([two([null, null]), two(["stop", "stop"]), done]))).toEqual([]);
    const roles = (...names: readonly string[]): object => ({
      ...base,
      choices: names.map((role, index) => ({ index, delta: { role }, finish_reason: "stop" })),
    });
    expect(faults(streamed([roles("assistant", "bot"), done]))).toEqual(['XOAI-006 the first chunk has role "bot"']);
    const later = { ...base, choices: [{ index: 1, delta: { role: "bot" }, finish_reason: "stop" }] };
    expect(faults(streamed([first, last, later, done]))).toEqual(['XOAI-006 the first chunk has role "bot"']);
  });

  it("lets nothing follow the terminator, and has no subject in other answers", () => {
    expect(faults(streamed(good, { changed: { pendingAtEnd: true } }))).toEqual(["XOAI-004 events follow [DONE]"]);
    expect(faults(streamed(good, { status: 500 }))).toEqual([]);
    expect(faults(streamed(good, { sent: {} }))).toEqual([]);
    expect(faults(streamed(good, { endpoint: "embeddings" }))).toEqual([]);
    expect(printJudge(conventionChunks, [streamed([])])).toEqual([]);
    expect(printJudge(conventionChunks, [streamed([{ error: {} }])])).toEqual([
      "SVC-013 observed #1 = streams the chunks of the usual convention",
      "XOAI-001 pass #1",
    ]);
  });
});

describe("convention-tools", () => {
  const sent = { stream: true, tools: [{ type: "function" }] };
  const call = (pieces: unknown, finish: unknown = null): object => chunk({ tool_calls: pieces }, finish);
  const outcomes = (pieces: readonly (readonly unknown[])[], finish: unknown = "tool_calls"): readonly string[] =>
    printJudge(conventionTools, [streamed([...pieces.map((one) => call(one)), chunk({}, finish), done], { sent })]).map((line) =>
      line.replace(/ \[expected .*/, ""),
    );
  const whole = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } };

  it("joins the pieces of a call by index", () => {
    const pieces = [[{ ...whole, function: { name: "f", arguments: '{"a"' } }], [{ index: 0, function: { arguments: ":1}" } }]];
    expect(outcomes(pieces)).toEqual(["XOAI-007 pass #1", "XOAI-008 pass #1"]);
    expect(outcomes([[whole, { ...whole, index: 1, id: "b" }]])).toEqual(["XOAI-007 pass #1", "XOAI-008 pass #1"]);
    expect(outcomes([[{ ...whole, type: undefined }]])[0]).toBe("XOAI-007 pass #1");
    expect(outcomes([[whole], [{ index: 0 }]])[0]).toBe("XOAI-007 pass #1");
    expect(outcomes([[{ ...whole, type: "x" }], [{ index: 0 }]])[0]).toBe('XOAI-007 fail #1: a tool call has type "x"');
    expect(outcomes([])).toEqual([]);
  });

  it.each([
    ["a piece of a tool call is no object", [7]],
    ["a piece of a tool call has no index", [{ ...whole, index: "0" }]],
    ["a tool call has no id", [{ ...whole, id: undefined }]],
    ["a tool call has no id", [{ ...whole, id: "" }]],
    ['a tool call has type "x"', [{ ...whole, type: "x" }]],
    ["a tool call names no function", [{ ...whole, function: { arguments: "{}" } }]],
    ["a tool call names no function", [{ ...whole, function: { name: "", arguments: "{}" } }]],
    ["a tool call names no function", [{ ...whole, function: 7 }]],
    ["the arguments of a tool call are not JSON", [{ ...whole, function: { name: "f", arguments: "{" } }]],
    ["the arguments of a tool call are not JSON", [{ ...whole, function: { name: "f" } }]],
  ] as const)("states that %s", (problem, pieces) => {
    expect(outcomes([pieces])[0]).toBe(`XOAI-007 fail #1: ${problem}`);
  });

  it("passes over a choice without a delta", () => {
    const bare = { ...base, choices: [{ index: 0 }, null] };
    expect(printJudge(conventionTools, [streamed([bare, call([whole], "tool_calls"), done], { sent })])).toEqual([
      "XOAI-007 pass #1",
      "XOAI-008 pass #1",
    ]);
  });

  it("says what it expected", () => {
    const said = (pieces: readonly unknown[]): readonly string[] =>
      printJudge(conventionTools, [streamed([call(pieces, "stop"), done], { sent })]);
    expect(said([7])).toEqual([
      "XOAI-007 fail #1: a piece of a tool call is no object [expected pieces that name the call they belong to] [observed a piece of a tool call is no object]",
    ]);
    expect(said([{ ...whole, id: "" }])).toEqual([
      "XOAI-007 fail #1: a tool call has no id [expected pieces that add up to function calls with JSON arguments] [observed a tool call has no id]",
      'XOAI-008 fail #1: finish_reason is "stop" after a streamed tool call [expected tool_calls] [observed finish_reason is "stop" after a streamed tool call]',
    ]);
  });

  describe("in one piece", () => {
    const answered = (calls: unknown, finish: unknown, more: ExchangeDraft & { readonly used?: number } = {}): Exchange =>
      makeExchange({
        endpoint: "chat",
        sent: { tools: sent.tools },
        received: {
          choices: [{ message: { tool_calls: calls }, finish_reason: finish }],
          usage: { completion_tokens: more.used },
        },
        ...more,
      });
    const said = (...given: Parameters<typeof answered>): readonly string[] => printJudge(conventionTools, [answered(...given)]);

    it("judges calls and the reason after them", () => {
      expect(said([whole], "tool_calls")).toEqual(["XOAI-007 pass #1", "XOAI-008 pass #1"]);
      expect(said([7], "stop")).toEqual([
        "XOAI-007 fail #1: a tool call is no object [expected function calls with an id, a name and JSON arguments] [observed a tool call is no object]",
        'XOAI-008 fail #1: finish_reason is "stop" after a tool call [expected tool_calls] [observed finish_reason is "stop" after a tool call]',
      ]);
      const written = { ...whole, function: { name: "f", arguments: {} } };
      expect(said([written], "tool_calls")[0]).toContain("fail #1: the arguments of a tool call are no string [");
      expect(said([], "stop")).toEqual([]);
      expect(said([whole], "tool_calls", { sent: {} })).toEqual(["XOAI-008 pass #1"]);
    });

    it("wants the reason length where max_tokens cut", () => {
      const cut = { label: "cut-off", sent: { max_tokens: 4 } };
      expect(said(null, "length", { ...cut, used: 4 })).toEqual(["XOAI-008 pass #1"]);
      expect(said(null, "stop", { ...cut, used: 4 })).toEqual([
        'XOAI-008 fail #1: finish_reason is "stop" after a cut by max_tokens [expected length] [observed finish_reason is "stop" after a cut by max_tokens]',
      ]);
      expect(said(null, "stop", { ...cut, used: 3 })).toEqual([]);
      expect(said(null, "stop", { ...cut, label: "other", used: 4 })).toEqual([]);
      expect(said(null, "stop", { ...cut, sent: { max_tokens: null } })).toEqual([]);
    });
  });

  it("wants the reason tool_calls after calls", () => {
    expect(outcomes([[whole]], "stop")[1]).toBe('XOAI-008 fail #1: finish_reason is "stop" after a streamed tool call');
    expect(outcomes([[whole]], null)[1]).toBe("XOAI-008 fail #1: finish_reason is nothing after a streamed tool call");
  });
});
