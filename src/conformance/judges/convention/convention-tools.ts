import { chatAnswer, choicesOf, hasTools, tokenCount } from "../chat/chat-answer.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { isJsonObject, showValue } from "../../judging/json-value.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { chunkChoices, chunkObjects } from "../stream/stream-chunks.ts";
import { findBadCall, joinCalls } from "./tool-calls.ts";

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
      } else if (exchange.label === "cut-off") {
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

function judgeCalls(problem: string | null, expected: string, outcomes: Outcomes): void {
  if (problem === null) outcomes.pass("XOAI-007");
  else outcomes.fail("XOAI-007", { message: problem, expected, observed: problem });
}

function judgeReason(reason: unknown, wanted: string, after: string, outcomes: Outcomes): void {
  if (reason === wanted) outcomes.pass("XOAI-008");
  else {
    const message = `finish_reason is ${showValue(reason, 40)} after ${after}`;
    outcomes.fail("XOAI-008", { message, expected: wanted, observed: message });
  }
}
