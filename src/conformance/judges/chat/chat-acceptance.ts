import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { showsOption } from "../../judging/option-labels.ts";
import { headerValues } from "../../../core/exchange/headers/header-list.ts";
import { createAcceptanceJudge, framingRows } from "../../judging/acceptance-judge.ts";
import { isJsonObject, type JsonObject } from "../../judging/json-value.ts";
import type { RunJudge } from "../../judging/judge.ts";

const hasMessage = (body: JsonObject, shows: (message: JsonObject) => boolean): boolean =>
  Array.isArray(body["messages"]) && body["messages"].some((message) => isJsonObject(message) && shows(message));
const hasRole =
  (role: string) =>
  (body: JsonObject): boolean =>
    hasMessage(body, (message) => message["role"] === role);
const roles = (body: JsonObject): readonly unknown[] =>
  Array.isArray(body["messages"]) ? body["messages"].map((message) => (isJsonObject(message) ? message["role"] : null)) : [];
const announces = ({ request }: ExchangeFacts, type: RegExp): boolean =>
  headerValues(request.headers, "content-type").some((value) => type.test(value));
const members = (body: JsonObject): readonly string[] => Object.keys(body).sort();

/** Valid chat requests that have to be accepted, each row by what the request holds. */
export const chatAcceptance: RunJudge = createAcceptanceJudge({
  id: "chat-acceptance",
  endpoint: "chat",
  capability: "SVC-003",
  rows: [
    { requirement: "CHAT-001", what: "model and messages alone", when: (body) => members(body).join() === "messages,model" },
    { requirement: "CHAT-010", what: "stream true", when: (body) => body["stream"] === true },
    {
      requirement: "CHAT-014",
      what: "an empty list of tools",
      when: (body) => Array.isArray(body["tools"]) && body["tools"].length === 0,
    },
    { requirement: "CHAT-017", what: "temperature 0", when: (body) => body["temperature"] === 0 },
    { requirement: "CHAT-018", what: "temperature 2", when: (body) => body["temperature"] === 2 },
    {
      requirement: "CHAT-019",
      what: "a temperature with a fraction",
      when: (body) => typeof body["temperature"] === "number" && !Number.isInteger(body["temperature"]),
    },
    { requirement: "CHAT-024", what: "a number as top_p", when: (body) => typeof body["top_p"] === "number" },
    { requirement: "CHAT-028", what: "an integer as max_tokens", when: (body) => Number.isInteger(body["max_tokens"]) },
    { requirement: "CHAT-033", what: "reasoning_effort low", when: (body) => body["reasoning_effort"] === "low" },
    { requirement: "CHAT-034", what: "reasoning_effort medium", when: (body) => body["reasoning_effort"] === "medium" },
    { requirement: "CHAT-035", what: "reasoning_effort high", when: (body) => body["reasoning_effort"] === "high" },
    { requirement: "MSG-001", what: "a message with role system", when: hasRole("system") },
    { requirement: "MSG-002", what: "a message with role user", when: hasRole("user") },
    { requirement: "MSG-003", what: "a message with role assistant", when: hasRole("assistant") },
    {
      requirement: "MSG-006",
      what: "a string as content",
      when: (body) => hasMessage(body, (message) => typeof message["content"] === "string"),
    },
    {
      requirement: "REQ-001",
      what: "Content-Type: application/json",
      when: (_, exchange) => announces(exchange, /^application\/json$/),
    },
    {
      requirement: "REQ-002",
      what: "Content-Type: application/json; charset=utf-8",
      when: (_, exchange) => announces(exchange, /^application\/json; *charset=utf-8$/i),
    },
    {
      requirement: "REQ-004",
      what: "text outside ASCII",
      when: (body) => hasMessage(body, ({ content }) => typeof content === "string" && /[\u0080-\u{10ffff}]/u.test(content)),
    },
    {
      requirement: "MSG-011",
      what: "two messages of one role in a row",
      when: (body) => roles(body).some((role, place, all) => role === all[place - 1]),
    },
    {
      requirement: "MSG-011",
      what: "a conversation that begins with an assistant",
      when: (body) => roles(body)[0] === "assistant",
    },
    { requirement: "MSG-011", what: "a system message after others", when: (body) => roles(body).lastIndexOf("system") > 0 },
    { requirement: "REQ-005", what: "JSON with white space around everything", when: showsOption("spaced") },
    { requirement: "REQ-005", what: "the members of objects in another order", when: showsOption("members-reversed") },
    { requirement: "REQ-005", what: "JSON with every character of its texts escaped", when: showsOption("escaped") },
    { requirement: "REQ-005", what: "numbers with an exponent", when: showsOption("exponents") },
    {
      requirement: "REQ-005",
      what: "escaped controls, quotes and line ends in a text",
      when: showsOption("controls-and-quotes"),
    },
    ...framingRows,
  ],
});
