import { chatAnswer, choicesOf, hasTools, tokenCount } from "../chat/chat-answer.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "../../judging/json-value.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { chunkChoices, chunkObjects, deltaOf, parseJsonText } from "../stream/stream-chunks.ts";
import { wrongValue, type WrongWords } from "../../judging/wrong-words.ts";

/** Label of a chat whose bound on tokens is far too low for its answer. */
export const cutOffLabel = "cut-off";

/** Tool calls and further finish reasons as the convention has them; overlay only. */
export const conventionTools: ExchangeJudge = {
  scope: "exchange",
  id: "convention-tools",
  covers: ["XOAI-007", "XOAI-008"],
  concerns: ({ endpoint, status, streamed }) => status < 300 && (endpoint === "chat" || streamed),
  judge(exchange, outcomes) {
    const request = exchange.requestObject;
    if (request === null) return;
    if (hasTools(request) && exchange.isSuccess) judgeStream(exchange, outcomes);
    const answer = chatAnswer(exchange);
    if (answer === null) return;
    for (const choice of choicesOf(answer.body)) {
      const message = choice["message"];
      const calls = isJsonObject(message) ? message["tool_calls"] : undefined;
      const reason = choice["finish_reason"];
      if (Array.isArray(calls) && calls.length > 0) {
        if (hasTools(request)) {
          judgeCalls(findBadCall(calls), "function calls with an id, a name and JSON arguments", outcomes);
        }
        judgeReason(reason, "tool_calls", "a tool call", outcomes);
      } else if (exchange.label === cutOffLabel) {
        const used = tokenCount(answer.body, "completion_tokens");
        if (used !== null && used === request["max_tokens"]) judgeReason(reason, "length", "a cut by max_tokens", outcomes);
      }
    }
  },
};

function judgeStream(exchange: ExchangeFacts, outcomes: Outcomes): void {
  const chunks = chunkObjects(exchange);
  const joined = joinCalls(chunks);
  if ("problem" in joined) {
    judgeCalls(joined.problem, "pieces that name the call they belong to", outcomes);
    return;
  }
  if (joined.calls.length === 0) return;
  judgeCalls(findBadCall(joined.calls), "pieces that add up to function calls with JSON arguments", outcomes);
  const reasons = chunks.flatMap(chunkChoices).map((choice) => choice["finish_reason"]);
  judgeReason(
    reasons.findLast((one) => typeof one === "string"),
    "tool_calls",
    "a streamed tool call",
    outcomes,
  );
}

function judgeCalls(problem: WrongWords | null, expected: string, outcomes: Outcomes): void {
  if (problem === null) outcomes.pass("XOAI-007");
  else outcomes.fail("XOAI-007", { ...problem, expected, observed: problem.message ?? problem.kind });
}

function judgeReason(reason: unknown, wanted: string, after: string, outcomes: Outcomes): void {
  if (reason === wanted) outcomes.pass("XOAI-008");
  else {
    const wrong = wrongValue("finish_reason is ", reason, { after: ` after ${after}`, limit: 40 });
    outcomes.fail("XOAI-008", { ...wrong, expected: wanted, observed: wrong.message });
  }
}

/** The fault of complete tool calls of the convention; null when they are in order. */
function findBadCall(calls: readonly JsonValue[]): WrongWords | null {
  for (const call of calls) {
    if (!isJsonObject(call)) return { kind: "a tool call is no object" };
    if (typeof call["id"] !== "string" || call["id"] === "") return { kind: "a tool call has no id" };
    if (call["type"] !== "function") return wrongValue("a tool call has type ", call["type"], { limit: 40 });
    const called: JsonObject = isJsonObject(call["function"]) ? call["function"] : {};
    if (typeof called["name"] !== "string" || called["name"] === "") return { kind: "a tool call names no function" };
    if (typeof called["arguments"] !== "string") return { kind: "the arguments of a tool call are no string" };
    if (parseJsonText(called["arguments"]) === undefined) return { kind: "the arguments of a tool call are not JSON" };
  }
  return null;
}

/** The calls that the pieces of a stream add up to; a problem where a piece cannot be placed. */
function joinCalls(chunks: readonly JsonObject[]): { readonly calls: readonly JsonObject[] } | { readonly problem: WrongWords } {
  const calls = new Map<number, { id?: JsonValue; type?: JsonValue; name?: JsonValue; text: string }>();
  for (const delta of chunks.flatMap(chunkChoices).map(deltaOf)) {
    const pieces = delta?.["tool_calls"];
    if (!Array.isArray(pieces)) continue;
    for (const piece of pieces as readonly JsonValue[]) {
      if (!isJsonObject(piece)) return { problem: { kind: "a piece of a tool call is no object" } };
      const { index } = piece;
      if (typeof index !== "number") return { problem: { kind: "a piece of a tool call has no index" } };
      const call = calls.get(index) ?? { text: "" };
      const called: JsonObject = isJsonObject(piece["function"]) ? piece["function"] : {};
      if (piece["id"] !== undefined) call.id = piece["id"];
      if (piece["type"] !== undefined) call.type = piece["type"];
      if (called["name"] !== undefined) call.name = called["name"];
      if (typeof called["arguments"] === "string") call.text += called["arguments"];
      calls.set(index, call);
    }
  }
  const joined = [...calls.values()].map(({ id, type, name, text }) => ({
    id: id ?? null,
    // Some services name the type in no piece; only a wrong one is a fault.
    type: type ?? "function",
    function: { name: name ?? null, arguments: text },
  }));
  return { calls: joined };
}
