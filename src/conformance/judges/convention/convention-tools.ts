import { chatAnswer, choicesOf, hasTools, tokenCount } from "../chat/chat-answer.ts";
import type { ExchangeJudge, Occurrence } from "../../judge.ts";
import { isJsonObject, type JsonObject, type JsonValue, showValue } from "../../json-value.ts";

/** Tool calls and further finish reasons as the convention has them; overlay only. */
export const conventionTools: ExchangeJudge = {
  scope: "exchange",
  id: "convention-tools",
  covers: ["XOAI-007", "XOAI-008"],
  *judge(exchange): Iterable<Occurrence> {
    const answer = chatAnswer(exchange);
    if (answer === null) return;
    const { request, body } = answer;
    const limit = typeof request["max_tokens"] === "number" ? request["max_tokens"] : null;
    const used = tokenCount(body, "completion_tokens");
    for (const choice of choicesOf(body)) {
      const message = isJsonObject(choice["message"]) ? choice["message"] : {};
      const calls = message["tool_calls"];
      const hasCalls = Array.isArray(calls) && calls.length > 0;
      if (hasCalls && hasTools(request)) {
        yield say(exchange.seq, "XOAI-007", wrongCalls(calls), "function calls with an id, a name and JSON arguments");
      }
      const reason = choice["finish_reason"];
      if (hasCalls)
        yield say(exchange.seq, "XOAI-008", reason === "tool_calls" ? null : wrongReason(reason, "a tool call"), "tool_calls");
      else if (exchange.label === "cut-off" && limit !== null && used === limit) {
        yield say(exchange.seq, "XOAI-008", reason === "length" ? null : wrongReason(reason, "a cut by max_tokens"), "length");
      }
    }
  },
};

function say(seq: number, requirement: string, problem: string | null, expected: string): Occurrence {
  return problem === null
    ? { requirement, outcome: "pass", exchanges: [seq] }
    : { requirement, outcome: "fail", exchanges: [seq], message: problem, expected, observed: problem };
}

function wrongReason(reason: unknown, after: string): string {
  return `finish_reason is ${showValue(reason, 40)} after ${after}`;
}

function wrongCalls(calls: readonly JsonValue[]): string | null {
  for (const call of calls) {
    if (!isJsonObject(call)) return "a tool call is no object";
    if (typeof call["id"] !== "string" || call["id"] === "") return "a tool call has no id";
    if (call["type"] !== "function") return `a tool call has type ${showValue(call["type"], 40)}`;
    const called: JsonObject = isJsonObject(call["function"]) ? call["function"] : {};
    if (typeof called["name"] !== "string" || called["name"] === "") return "a tool call names no function";
    if (typeof called["arguments"] !== "string") return "the arguments of a tool call are no string";
    if (!isJsonText(called["arguments"])) return "the arguments of a tool call are not JSON";
  }
  return null;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
