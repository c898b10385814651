import { describe, expect, it } from "vitest";
import { chatAcceptance } from "../../../src/conformance/judges/chat/chat-acceptance.ts";
import { chatCompletionRelations } from "../../../src/conformance/judges/chat/chat-completion-relations.ts";
import { chatCompletionValues } from "../../../src/conformance/judges/chat/chat-completion-values.ts";
import { chatStreamDefault } from "../../../src/conformance/judges/chat/chat-stream-default.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange, wallMs } from "../../make/exchanges/make-exchange.ts";
import { streamed } from "../../make/exchanges/make-stream.ts";
import { printJudge } from "./print-occurrences.ts";

interface ChatDraft extends ExchangeDraft {
  readonly message?: unknown;
  readonly reason?: unknown;
  readonly usage?: unknown;
}

/** A completion with one choice; `received` stands for more members of the body. */
function completion({ message = {}, reason = "stop", usage, received = {}, ...draft }: ChatDraft = {}): Exchange {
  const choices = [{ index: 0, message, finish_reason: reason }];
  return makeExchange({
    endpoint: "chat",
    sent: { model: "m" },
    received: { choices, usage, ...(received as object) },
    ...draft,
  });
}

describe("chat-acceptance", () => {
  const shown = (sent: unknown, type?: readonly [string, string]): readonly string[] => {
    const exchange = makeExchange({ endpoint: "chat", sent });
    const headers = [["accept", "application/json"], ...(type === undefined ? [] : [type])] as [string, string][];
    return printJudge(chatAcceptance, [{ ...exchange, request: { ...exchange.request, headers } }])
      .map((line) => line.replace(" pass #1", ""))
      .filter((row) => row !== "SVC-003");
  };
  const saying = (content: unknown, role = "user"): unknown => ({ x: 1, messages: [null, { role, content }] });

  it.each([
    ["the plainest request", { model: "m", messages: [] }, ["CHAT-001"]],
    ["no messages", { x: 1 }, []],
    ["messages that are a text", { x: 1, messages: "user" }, []],
    ["a stream", { stream: true }, ["CHAT-010"]],
    ["no stream", { stream: false }, []],
    ["an empty list of tools", { tools: [] }, ["CHAT-014"]],
    ["a tool", { tools: [{}] }, []],
    ["no tools", { tools: "" }, []],
    ["temperature 0", { temperature: 0 }, ["CHAT-017"]],
    ["temperature 2", { temperature: 2 }, ["CHAT-018"]],
    ["temperature 1", { temperature: 1 }, []],
    ["temperature 0.5", { temperature: 0.5 }, ["CHAT-019"]],
    ["a temperature in quotes", { temperature: "0.5" }, []],
    ["top_p", { top_p: 1 }, ["CHAT-024"]],
    ["max_tokens", { max_tokens: 1 }, ["CHAT-028"]],
    ["half a token", { max_tokens: 0.5 }, []],
    ["effort low", { reasoning_effort: "low" }, ["CHAT-033"]],
    ["effort medium", { reasoning_effort: "medium" }, ["CHAT-034"]],
    ["effort high", { reasoning_effort: "high" }, ["CHAT-035"]],
    ["text of a system", saying("a", "system"), ["MSG-001", "MSG-006", "MSG-011"]],
    ["text of a user", saying("a"), ["MSG-002", "MSG-006"]],
    ["text of an assistant", saying("a", "assistant"), ["MSG-003", "MSG-006"]],
    ["no text", saying(null), ["MSG-002"]],
    ["text at the end of ASCII", saying("\u007F"), ["MSG-002", "MSG-006"]],
    ["text beyond ASCII", saying("\u0080"), ["MSG-002", "MSG-006", "REQ-004"]],
    ["parts beyond ASCII", saying(["\u0080"]), ["MSG-002"]],
  ] as const)("finds %s in a request", (_name, sent, rows) => {
    expect(shown(sent)).toEqual(rows);
  });

  it.each([
    ["application/json", ["REQ-001"]],
    ["application/json; charset=utf-8", ["REQ-002"]],
    ["application/json;charset=UTF-8", ["REQ-002"]],
    ["application/json;  charset=utf-8", ["REQ-002"]],
    ["application/json; charset=utf-80", []],
    ["x-application/json; charset=utf-8", []],
    ["x-application/json", []],
    ["application/jsonl", []],
  ] as const)("states the media type %s", (type, rows) => {
    expect(shown({ x: 1 }, ["Content-Type", type])).toEqual(rows);
  });
});

describe("chat-acceptance of what is refused", () => {
  const blamed = (sent: object, type = ""): readonly string[] => {
    const refused = makeExchange({ seq: 2, endpoint: "chat", sent, status: 422 });
    const headers = [["content-type", type]] as const;
    const exchanges = [completion({ sent: { x: 1 } }), { ...refused, request: { ...refused.request, headers } }];
    return printJudge(chatAcceptance, exchanges)
      .slice(1)
      .map((line) => line.replace(/ fail #2: a valid request is refused: (.*) \[expected a 2xx answer to \1\].*/, ": $1"));
  };

  it("names it", () => {
    const messages = ["system", "user", "assistant"].map((role) => ({ role, content: "\u0080" }));
    expect(blamed({ model: "m", messages }, "application/json")).toEqual([
      "CHAT-001: model and messages alone",
      "MSG-001: a message with role system",
      "MSG-002: a message with role user",
      "MSG-003: a message with role assistant",
      "MSG-006: a string as content",
      "REQ-001: Content-Type: application/json",
      "REQ-004: text outside ASCII",
    ]);
    expect(blamed({ stream: true, tools: [], temperature: 0, top_p: 1, max_tokens: 1, reasoning_effort: "low" })).toEqual([
      "CHAT-010: stream true",
      "CHAT-014: an empty list of tools",
      "CHAT-017: temperature 0",
      "CHAT-024: a number as top_p",
      "CHAT-028: an integer as max_tokens",
      "CHAT-033: reasoning_effort low",
    ]);
    expect(blamed({ temperature: 2, reasoning_effort: "medium" }, "application/json; charset=utf-8")).toEqual([
      "CHAT-018: temperature 2",
      "CHAT-034: reasoning_effort medium",
      "REQ-002: Content-Type: application/json; charset=utf-8",
    ]);
    expect(blamed({ temperature: 0.5, reasoning_effort: "high" })).toEqual([
      "CHAT-019: a temperature with a fraction",
      "CHAT-035: reasoning_effort high",
    ]);
  });
});

describe("chat-completion-relations", () => {
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(chatCompletionRelations, exchanges);

  it("wants an id of its own for each completion", () => {
    expect(
      outcomes(completion({ received: { id: "a" } }), completion({ seq: 2, received: { id: "b" } }), completion({ seq: 3 })),
    ).toEqual(["CMPL-002 pass #1", "CMPL-002 pass #2"]);
    expect(outcomes(completion({ received: { id: "a" } }), completion({ seq: 2, received: { id: "a" } }))).toEqual([
      "CMPL-002 pass #1",
      'CMPL-002 fail #2 #1: two completions have the same id [expected an id of its own for each completion] [observed "a" in #1 and #2]',
    ]);
  });

  it("wants the requested model or a listed one", () => {
    const named = (model: unknown): Exchange => completion({ seq: 2, received: { model } });
    const list = makeExchange({ received: { data: [{ id: "listed" }, null] } });
    expect(outcomes(named("m"))).toEqual(["CMPL-007 pass #2"]);
    expect(outcomes(list, named("listed"))).toEqual(["CMPL-007 pass #2"]);
    const accused = [
      'CMPL-007 fail #2: the model that was used is neither the requested one nor listed [expected "m" or an id of GET /v1/models] [observed "listed"]',
    ];
    expect(outcomes(named("listed"))).toEqual(accused);
    expect(outcomes(makeExchange({ received: { data: [{ id: "other" }] } }), named("listed"))).toEqual(accused);
    expect(outcomes(makeExchange({ status: 500, received: { data: [{ id: "listed" }] } }), named("listed"))).toEqual(accused);
    expect(outcomes(makeExchange({ endpoint: "usage", received: { data: [{ id: "listed" }] } }), named("listed"))).toEqual(
      accused,
    );
    expect(outcomes(named(""), named(7))).toEqual([]);
  });

  it("wants no fewer tokens for the same prompt twice over", () => {
    const counted = (seq: number, label: string, tokens: unknown, caseId = "a"): Exchange =>
      completion({ seq, label, caseId, usage: { prompt_tokens: tokens } });
    const once = counted(1, "prompt", 5);
    expect(outcomes(once, counted(2, "prompt-doubled", 4))).toEqual([
      "CMPL-023 fail #2 #1: a longer prompt is counted as fewer tokens [expected at least 5 prompt_tokens] [observed 4 prompt_tokens]",
    ]);
    expect(outcomes(once, counted(2, "prompt-doubled", 5))).toEqual(["CMPL-023 pass #2 #1"]);
    expect(outcomes(counted(3, "prompt", 9, "b"), counted(4, "other", 9), once, counted(2, "prompt-doubled", 8))).toEqual([
      "CMPL-023 pass #2 #1",
    ]);
    expect(outcomes(counted(1, "prompt", 9, "b"), counted(2, "prompt-doubled", 1))).toEqual([]);
    expect(outcomes(counted(1, "prompt", null), counted(2, "prompt-doubled", 1))).toEqual([]);
    expect(outcomes(once, counted(2, "prompt-doubled", 4.5))).toEqual([]);
  });
});

describe("chat-completion-values", () => {
  const outcomes = (requirement: string, draft: ChatDraft): readonly string[] =>
    printJudge(chatCompletionValues, [completion(draft)]).filter((line) => line.startsWith(requirement));
  /** Of the answer, by its Date field. */
  const nowSeconds = Math.floor((wallMs + 100) / 1000);
  const [other, milliseconds] = ["created is not the time of the answer", "created is in milliseconds, not in seconds"];

  it.each([
    [nowSeconds - 300, null],
    [nowSeconds + 300, null],
    [nowSeconds - 301, other],
    [nowSeconds + 301, other],
    [(nowSeconds - 300) * 1000, milliseconds],
    [(nowSeconds + 300) * 1000, milliseconds],
    [(nowSeconds - 301) * 1000, other],
    [(nowSeconds + 301) * 1000, other],
  ])("judges the creation time %d", (created, problem) => {
    const expected = `[expected Unix seconds within 300 s of ${nowSeconds}] [observed ${created}]`;
    expect(outcomes("CMPL-005", { received: { created } })).toEqual([
      problem === null ? "CMPL-005 pass #1" : `CMPL-005 fail #1: ${problem} ${expected}`,
    ]);
  });

  it("compares the length of a stream that states its usage", () => {
    const used = (sent: object, usage: string): readonly string[] => {
      const chunk = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":${usage}}`;
      const exchange = streamed([chunk], { sent: { stream: true, ...sent } });
      return printJudge(chatCompletionValues, [exchange]).map((line) => line.split(":")[0] ?? "");
    };
    const usage = '{"prompt_tokens":2,"completion_tokens":5,"total_tokens":7}';
    expect(used({ max_tokens: 5 }, usage)).toEqual(["CHAT-029 pass #1"]);
    expect(used({ max_tokens: 4 }, usage)).toEqual(["CHAT-029 fail #1"]);
    expect([...used({ max_tokens: 4 }, "null"), ...used({}, usage)]).toEqual([]);
  });

  it("compares the length with max_tokens from 1 on", () => {
    const used = (limit: unknown, tokens: number): readonly string[] =>
      outcomes("CHAT-029", { sent: { max_tokens: limit }, usage: { completion_tokens: tokens } });
    expect(used(1, 1)).toEqual(["CHAT-029 pass #1"]);
    expect(used(1, 2)).toEqual([
      "CHAT-029 fail #1: the completion is longer than max_tokens allows [expected at most 1 completion_tokens] [observed 2 completion_tokens]",
    ]);
    expect([...used(0, 0), ...used(0, 1), ...used("1", 2)]).toEqual([]);
  });

  it("notes a reason with the place where it was given", () => {
    const place = (draft: ChatDraft): readonly string[] => outcomes("CMPL-017", draft);
    const usage = { completion_tokens: 5 };
    expect(place({ usage, sent: { max_tokens: 5 } })).toEqual(["CMPL-017 observed #1 = at the limit of tokens: stop"]);
    expect(place({ usage, sent: { max_tokens: 6 } })).toEqual(["CMPL-017 observed #1 = at its natural end: stop"]);
    expect(place({ usage, sent: { max_tokens: "5" } })).toEqual(["CMPL-017 observed #1 = at its natural end: stop"]);
    expect(place({ sent: { max_tokens: 0, tools: [{}] } })).toEqual(["CMPL-017 observed #1 = with tools: stop"]);
    expect(place({ reason: "r".repeat(41) })).toEqual([`CMPL-017 observed #1 = at its natural end: ${"r".repeat(40)}`]);
    expect([...place({ reason: "" }), ...place({ reason: null })]).toEqual([]);
  });

  it("wants the reason stop only where a natural end was provided for", () => {
    const label = "natural-end";
    expect(outcomes("CMPL-016", { label })).toEqual(["CMPL-016 pass #1"]);
    expect(outcomes("CMPL-016", { label, reason: "length" })).toEqual([
      'CMPL-016 fail #1: a completion that ended by itself does not say so [expected finish_reason stop] [observed finish_reason "length"]',
    ]);
    const cut = { label, reason: "length", sent: { max_tokens: 5 }, usage: { completion_tokens: 5 } };
    expect([...outcomes("CMPL-016", cut), ...outcomes("CMPL-016", { reason: "length" })]).toEqual([]);
  });

  it("notes whether any choice calls a tool that was offered", () => {
    const called = (...messages: readonly unknown[]): readonly string[] =>
      outcomes("CHAT-016", { sent: { tools: [{}] }, received: { choices: messages.map((message) => ({ message })) } });
    expect(called({}, { tool_calls: [] })).toEqual(["CHAT-016 observed #1 = calls a tool"]);
    expect(called({}, "tool_calls")).toEqual(["CHAT-016 observed #1 = answers without calling a tool"]);
    expect(outcomes("CHAT-016", { message: { tool_calls: [] } })).toEqual([]);
  });
});

describe("chat-stream-default", () => {
  it.each([
    [undefined, "CHAT-012"],
    [false, "CHAT-011"],
  ] as const)("wants one object where stream is %s", (stream, requirement) => {
    const sent = { model: "m", stream };
    expect(printJudge(chatStreamDefault, [completion({ sent })])).toEqual([`${requirement} pass #1`]);
    expect(printJudge(chatStreamDefault, [completion({ sent, stream: true })])).toEqual([
      `${requirement} fail #1: stream is ${stream === false ? "false" : "not given"}, but the answer is not one JSON object [expected one Chat completion object] [observed 200, application/json, 0 events in 0 bytes]`,
    ]);
  });

  it("has no subject where stream is no boolean, or where nothing was answered", () => {
    expect(printJudge(chatStreamDefault, [completion({ sent: { stream: "yes" } })])).toEqual([]);
    expect(printJudge(chatStreamDefault, [completion({ status: null })])).toEqual([]);
  });
});
