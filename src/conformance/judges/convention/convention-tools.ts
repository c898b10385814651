import { chatAnswer, choicesOf, hasTools, tokenCount } from "../chat/chat-answer.ts";
import { nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import type { Exchange } from "../../../core/exchange/exchange.ts";
import { isSuccess, requestObject } from "../../judging/exchange-view.ts";
import { chunkChoices, chunkObjects } from "../stream/stream-chunks.ts";
import { findBadCall, joinCalls } from "./tool-calls.ts";

/** Tool calls and further finish reasons as the convention has them; overlay only. */
export const conventionTools: ExchangeJudge = {
  scope: "exchange",
  id: "convention-tools",
  covers: ["XOAI-007", "XOAI-008"],
  concerns: ({ endpoint, status, streamed }) => status < 300 && (endpoint === "chat" || streamed),
  glance(exchange) {
    const request = requestObject(exchange);
    if (request === null) return nothingGlanced;
    if (hasTools(request)) return null;
    const answer = chatAnswer(exchange);
    if (answer === null) return nothingGlanced;
    if (exchange.label === "cut-off") return null;
    const { choices } = answer.body;
    if (!Array.isArray(choices)) return nothingGlanced;
    for (const choice of choices as readonly JsonValue[]) {
      const message = isJsonObject(choice) ? choice["message"] : null;
      if (isJsonObject(message) && message["tool_calls"] !== undefined) return null;
    }
    return nothingGlanced;
  },
  *judge(exchange): Iterable<Occurrence> {
    yield* judgeStream(exchange);
    const answer = chatAnswer(exchange);
    if (answer === null) return;
    const { request, body } = answer;
    const used = tokenCount(body, "completion_tokens");
    for (const choice of choicesOf(body)) {
      const message = isJsonObject(choice["message"]) ? choice["message"] : {};
      const calls = message["tool_calls"];
      const hasCalls = Array.isArray(calls) && calls.length > 0;
      if (hasCalls && hasTools(request)) {
        yield say(exchange.seq, "XOAI-007", findBadCall(calls), "function calls with an id, a name and JSON arguments");
      }
      const reason = choice["finish_reason"];
      if (hasCalls)
        yield say(exchange.seq, "XOAI-008", reason === "tool_calls" ? null : wrongReason(reason, "a tool call"), "tool_calls");
      else if (exchange.label === "cut-off" && used !== null && used === request["max_tokens"]) {
        yield say(exchange.seq, "XOAI-008", reason === "length" ? null : wrongReason(reason, "a cut by max_tokens"), "length");
      }
    }
  },
};

function* judgeStream(exchange: Exchange): Iterable<Occurrence> {
  const stream = exchange.response?.stream ?? null;
  const request = requestObject(exchange);
  if (stream === null || request === null || !hasTools(request) || !isSuccess(exchange)) return;
  const chunks = chunkObjects(stream);
  const joined = joinCalls(chunks);
  if ("problem" in joined) {
    yield say(exchange.seq, "XOAI-007", joined.problem, "pieces that name the call they belong to");
    return;
  }
  if (joined.calls.length === 0) return;
  yield say(exchange.seq, "XOAI-007", findBadCall(joined.calls), "pieces that add up to function calls with JSON arguments");
  const reasons = chunks.flatMap(chunkChoices).map((choice) => choice["finish_reason"]);
  const reason = reasons.findLast((one) => typeof one === "string");
  yield say(exchange.seq, "XOAI-008", reason === "tool_calls" ? null : wrongReason(reason, "a streamed tool call"), "tool_calls");
}

function say(seq: number, requirement: string, problem: string | null, expected: string): Occurrence {
  return problem === null
    ? { requirement, outcome: "pass", exchanges: [seq] }
    : { requirement, outcome: "fail", exchanges: [seq], message: problem, expected, observed: problem };
}

function wrongReason(reason: unknown, after: string): string {
  return `finish_reason is ${showValue(reason, 40)} after ${after}`;
}
