import { describe, expect, it } from "vitest";
import { conventionChunks } from "../../src/conformance/judges/convention/convention-chunks.ts";
import { conventionTools } from "../../src/conformance/judges/convention/convention-tools.ts";
import { eventStream } from "../../src/conformance/judges/stream/event-stream.ts";
import { streamObservations } from "../../src/conformance/judges/stream/stream-observations.ts";
import type { Exchange, RecordedStream } from "../../src/core/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../suites/make-exchange.ts";
import { tellJudge } from "./tell-occurrences.ts";

interface StreamDraft extends ExchangeDraft {
  readonly stampsMs?: readonly number[];
  readonly names?: readonly string[];
  readonly changed?: Partial<RecordedStream>;
}

/** A streamed chat answer with these payloads; objects become JSON. */
function streamed(
  payloads: readonly unknown[],
  { stampsMs = [], names = [], changed = {}, ...draft }: StreamDraft = {},
): Exchange {
  const exchange = makeExchange({ endpoint: "chat", sent: { stream: true }, stream: true, ...draft });
  const headers = exchange.response!.headers.map(([name, value]): [string, string] => [
    name,
    name === "content-type" ? "text/event-stream" : value,
  ]);
  const events = payloads.map((payload, index) => ({
    atMs: stampsMs[index] ?? index,
    earliestMs: 0,
    read: 1,
    event: names[index] ?? "message",
    data: typeof payload === "string" ? payload : JSON.stringify(payload),
  }));
  const stream = { ...exchange.response!.stream!, events, ...changed };
  return { ...exchange, response: { ...exchange.response!, headers, stream } };
}

const base = { id: "c1", object: "chat.completion.chunk", created: 1, model: "m" };
const chunk = (delta: unknown, finish: unknown = null, more: object = {}): object => ({
  ...base,
  choices: [{ index: 0, delta, finish_reason: finish }],
  ...more,
});
const first = chunk({ role: "assistant", content: "" });
const last = chunk({}, "stop");
const done = "[DONE]";
const good = [first, chunk({ content: "hi" }), last, done];

/** Rows that do not pass, with what is said. */
function faults(exchange: Exchange): readonly string[] {
  return tellJudge(conventionChunks, [exchange])
    .filter((line) => line.includes(" fail "))
    .map((line) => line.replace(/ \[expected .*/, "").replace("fail #1: ", ""));
}

describe("convention-chunks", () => {
  it("passes the usual chunks", () => {
    expect(tellJudge(conventionChunks, [streamed(good)])).toEqual([
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
    ["another object", [first, chunk({}, null, { object: "x" }), last, done], ['XOAI-001 a chunk has object "x"']],
    ["no choices", [first, base, last, done], ["XOAI-002 a chunk has no list of choices"]],
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
    ["another id", [first, chunk({}, null, { id: "c2" }), last, done], ['XOAI-005 id changes inside the stream: "c1", "c2"']],
    [
      "no model",
      [{ ...first, model: undefined }, { ...last, model: undefined }, done],
      ["XOAI-005 model is missing from the chunks"],
    ],
    ["another role", [chunk({ role: "bot" }), last, done], ['XOAI-006 the first chunk has role "bot"']],
    ["no role", [chunk({}), last, done], ["XOAI-006 the first chunk has role nothing"]],
  ] as const)("tells %s", (_, payloads, told) => {
    expect(faults(streamed(payloads))).toEqual(told);
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
  });

  it("counts a terminator that was cut off for none, and says where a stream broke", () => {
    expect(faults(streamed(good, { changed: { pendingAtEnd: true } }))).toEqual(["XOAI-004 events follow [DONE]"]);
    expect(faults(streamed(good, { status: 500 }))).toEqual([]);
    expect(faults(streamed(good, { sent: {} }))).toEqual([]);
    expect(faults(streamed(good, { endpoint: "embeddings" }))).toEqual([]);
    expect(tellJudge(conventionChunks, [streamed([])])).toEqual([]);
    expect(tellJudge(conventionChunks, [streamed([{ error: {} }])])).toEqual([
      "SVC-013 observed #1 = streams the chunks of the usual convention",
      "XOAI-001 pass #1",
    ]);
  });
});

describe("event-stream", () => {
  const verdicts = (exchange: Exchange): readonly string[] =>
    tellJudge(eventStream, [exchange]).map((line) => line.split(" #")[0] ?? "");
  const twenty = Array.from({ length: 20 }, () => first);
  const spread = (spreadMs: number): readonly number[] => twenty.map((_, index) => (index === 19 ? spreadMs : 0));
  const delivery = (payloads: readonly unknown[], durationMs: number, spreadMs: number): readonly string[] =>
    verdicts(streamed(payloads, { sentMs: 0, endMs: durationMs, stampsMs: spread(spreadMs) })).filter((line) =>
      line.startsWith("STRM-008"),
    );

  it("judges delivery only of long answers with many events", () => {
    expect(delivery(twenty, 500, 0)).toEqual(["STRM-008 fail"]);
    expect(delivery(twenty, 499, 0)).toEqual([]);
    expect(delivery(twenty.slice(1), 500, 0)).toEqual([]);
    expect(delivery([], 500, 0)).toEqual([]);
  });

  it("wants events over more than a tenth of the answer, and more than 20 ms", () => {
    expect(delivery(twenty, 500, 50)).toEqual(["STRM-008 fail"]);
    expect(delivery(twenty, 500, 50.1)).toEqual(["STRM-008 pass"]);
    expect(delivery(twenty, 1000, 60)).toEqual(["STRM-008 fail"]);
    const late = streamed(twenty, { sentMs: 0, endMs: 600, stampsMs: twenty.map((_, index) => 500 + index) });
    expect(tellJudge(eventStream, [late]).at(-1)).toBe(
      "STRM-008 fail #1: the stream is buffered: all events arrive together at the end [expected events while the answer is made] [observed 20 events within 19.0 ms of an answer that took 600 ms]",
    );
  });

  it("says of a broken stream only what is certain", () => {
    const failure = { kind: "connection-closed", message: "closed" } as const;
    expect(verdicts(streamed(twenty, { failure, endMs: 9000 }))).toEqual([
      "STRM-001 pass",
      "STRM-002 pass",
      "STRM-005 inconclusive",
    ]);
    const endless = { kind: "stream-timeout", message: "x".repeat(200) } as const;
    expect(tellJudge(eventStream, [streamed(twenty, { failure: endless })]).at(-1)).toBe(
      `STRM-005 fail #1: the stream does not end [expected an end within the time allowed for the answer] [observed ${"x".repeat(160)}]`,
    );
  });

  it.each([
    [199, 0],
    [200, 5],
    [299, 5],
    [300, 0],
  ] as const)("judges an answer with %i by %i rows", (status, rows) => {
    expect(verdicts(streamed(good, { status }))).toHaveLength(rows);
  });
});

describe("stream-observations", () => {
  it("notes payload, end, errors and usage", () => {
    const usage = { ...base, choices: [], usage: { total_tokens: 1 } };
    expect(tellJudge(streamObservations, [streamed([first, "7", usage, done])])).toEqual([
      'STRM-006 observed #1 = events message; objects "chat.completion.chunk", no JSON object',
      "STRM-007 observed #1 = ends with data: [DONE]",
      "STRM-014 observed #1 = usage in the stream",
      "RATE-041 observed #1 = token headers come before the answer is known",
    ]);
    const named = streamed([{ error: {} }, { usage: null }], { names: ["z", "end"] });
    expect(tellJudge(streamObservations, [named]).slice(0, 4)).toEqual([
      "STRM-006 observed #1 = events end, z; objects null",
      "STRM-007 observed #1 = ends with event end",
      "STRM-013 observed #1 = an error inside the stream",
      "STRM-014 observed #1 = no event carries usage",
    ]);
    const broken = streamed([first], { failure: { kind: "connection-closed", message: "" } });
    expect(tellJudge(streamObservations, [broken]).slice(1, 3)).toEqual([
      "STRM-007 observed #1 = ends with nothing but the end of the body",
      "STRM-013 observed #1 = broken off: connection-closed",
    ]);
    expect(tellJudge(streamObservations, [streamed([])])).toEqual([]);
    expect(tellJudge(streamObservations, [streamed(good, { sent: {} })])).toEqual([]);
  });

  it("lists four names and four objects at most, in order", () => {
    const many = ["e", "d", "c", "b", "a"];
    const told = tellJudge(streamObservations, [
      streamed(
        many.map((object) => ({ object })),
        { names: many },
      ),
    ]);
    expect(told[0]).toBe('STRM-006 observed #1 = events a, b, c, d; objects "a", "b", "c", "d"');
  });
});

describe("convention-tools", () => {
  const sent = { stream: true, tools: [{ type: "function" }] };
  const call = (pieces: unknown, finish: unknown = null): object => chunk({ tool_calls: pieces }, finish);
  const tell = (pieces: readonly (readonly unknown[])[], finish: unknown = "tool_calls"): readonly string[] =>
    tellJudge(conventionTools, [streamed([...pieces.map((one) => call(one)), chunk({}, finish), done], { sent })]).map((line) =>
      line.replace(/ \[expected .*/, ""),
    );
  const whole = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "{}" } };

  it("joins the pieces of a call by index", () => {
    const pieces = [[{ ...whole, function: { name: "f", arguments: '{"a"' } }], [{ index: 0, function: { arguments: ":1}" } }]];
    expect(tell(pieces)).toEqual(["XOAI-007 pass #1", "XOAI-008 pass #1"]);
    expect(tell([[whole, { ...whole, index: 1, id: "b" }]])).toEqual(["XOAI-007 pass #1", "XOAI-008 pass #1"]);
    expect(tell([[{ ...whole, type: undefined }]])[0]).toBe("XOAI-007 pass #1");
    expect(tell([])).toEqual([]);
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
  ] as const)("tells that %s", (problem, pieces) => {
    expect(tell([pieces])[0]).toBe(`XOAI-007 fail #1: ${problem}`);
  });

  it("wants the reason tool_calls after calls", () => {
    expect(tell([[whole]], "stop")[1]).toBe('XOAI-008 fail #1: finish_reason is "stop" after a streamed tool call');
    expect(tell([[whole]], null)[1]).toBe("XOAI-008 fail #1: finish_reason is nothing after a streamed tool call");
  });
});
