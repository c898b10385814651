import { targetNowSeconds } from "../../judging/exchange-view.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { type ChatAnswer, chatAnswer, choicesOf, hasTools, tokenCount } from "./chat-answer.ts";

/** A clock may be off and a queue may delay, but not by this much. */
const createdToleranceSeconds = 300;

const glanced = createGlancedLists(["CMPL-005", "CMPL-011", "CMPL-022", "CHAT-029", "CMPL-017"]);

/** What a schema cannot say of one completion: time, arithmetic, indexes, limits that were asked for. */
export const chatCompletionValues: ExchangeJudge = {
  scope: "exchange",
  id: "chat-completion-values",
  covers: ["CMPL-005", "CMPL-011", "CMPL-016", "CMPL-017", "CMPL-022", "CHAT-016", "CHAT-029"],
  concerns: ({ endpoint, status }) => endpoint === "chat" && status < 300,
  glance(exchange) {
    const answer = chatAnswer(exchange);
    if (answer === null) return glanced(0);
    const { request, body } = answer;
    const { created, choices } = body;
    // One choice with index 0, as nearly all answers have it; everything else takes the long way.
    if (!Array.isArray(choices) || choices.length !== 1 || hasTools(request) || exchange.label === "natural-end") return null;
    const choice = choices[0] as JsonValue;
    if (!isJsonObject(choice) || choice["index"] !== 0) return null;
    let mask = 0b10;
    if (typeof created === "number") {
      if (Math.abs(created - targetNowSeconds(exchange)) > createdToleranceSeconds) return null;
      mask |= 0b1;
    }
    const completion = tokenCount(body, "completion_tokens");
    const prompt = tokenCount(body, "prompt_tokens");
    const total = tokenCount(body, "total_tokens");
    if (prompt !== null && completion !== null && total !== null) {
      if (total !== prompt + completion) return null;
      mask |= 0b100;
    }
    const limit = request["max_tokens"];
    if (typeof limit === "number" && limit >= 1 && completion !== null) {
      if (completion > limit) return null;
      mask |= 0b1000;
    }
    const reason = choice["finish_reason"];
    return glanced(typeof reason === "string" && reason !== "" ? mask | 0b10000 : mask);
  },
  *judge(exchange): Iterable<Occurrence> {
    const answer = chatAnswer(exchange);
    if (answer === null) return;
    yield* judgeCreated(answer);
    yield* judgeIndexes(answer);
    yield* judgeTotal(answer);
    yield* judgeLength(answer);
    yield* judgeFinish(answer);
    if (hasTools(answer.request)) {
      const called = choicesOf(answer.body).some(
        (choice) => isJsonObject(choice["message"]) && "tool_calls" in choice["message"],
      );
      yield {
        requirement: "CHAT-016",
        outcome: "observed",
        exchanges: [exchange.seq],
        answer: called ? "calls a tool" : "answers without calling a tool",
      };
    }
  },
};

function* judgeCreated({ exchange, body }: ChatAnswer): Iterable<Occurrence> {
  const { created } = body;
  if (typeof created !== "number") return;
  const nowSeconds = targetNowSeconds(exchange);
  const isNear = Math.abs(created - nowSeconds) <= createdToleranceSeconds;
  const isMilliseconds = Math.abs(created / 1000 - nowSeconds) <= createdToleranceSeconds;
  yield isNear
    ? { requirement: "CMPL-005", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "CMPL-005",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: isMilliseconds ? "created is in milliseconds, not in seconds" : "created is not the time of the answer",
        expected: `Unix seconds within ${createdToleranceSeconds} s of ${Math.round(nowSeconds)}`,
        observed: String(created),
      };
}

function* judgeIndexes({ exchange, body }: ChatAnswer): Iterable<Occurrence> {
  const choices = choicesOf(body);
  if (choices.length === 0) return;
  const indexes = choices.map((choice) => choice["index"]);
  const isRange = choices.every((_, place) => indexes.includes(place));
  yield isRange
    ? { requirement: "CMPL-011", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "CMPL-011",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "the indexes of the choices do not count from 0",
        expected: `each of 0 to ${choices.length - 1} once`,
        observed: showValue(indexes),
      };
}

function* judgeTotal({ exchange, body }: ChatAnswer): Iterable<Occurrence> {
  const [prompt, completion, total] = [
    tokenCount(body, "prompt_tokens"),
    tokenCount(body, "completion_tokens"),
    tokenCount(body, "total_tokens"),
  ];
  if (prompt === null || completion === null || total === null) return;
  yield total === prompt + completion
    ? { requirement: "CMPL-022", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "CMPL-022",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "total_tokens is not the sum of prompt_tokens and completion_tokens",
        expected: `${prompt} + ${completion} = ${prompt + completion}`,
        observed: String(total),
      };
}

function* judgeLength({ exchange, request, body }: ChatAnswer): Iterable<Occurrence> {
  const limit = request["max_tokens"];
  const used = tokenCount(body, "completion_tokens");
  if (typeof limit !== "number" || limit < 1 || used === null) return;
  yield used <= limit
    ? { requirement: "CHAT-029", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "CHAT-029",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "the completion is longer than max_tokens allows",
        expected: `at most ${limit} completion_tokens`,
        observed: `${used} completion_tokens`,
      };
}

function* judgeFinish({ exchange, request, body }: ChatAnswer): Iterable<Occurrence> {
  const limit = typeof request["max_tokens"] === "number" ? request["max_tokens"] : null;
  const used = tokenCount(body, "completion_tokens");
  const isCut = limit !== null && used !== null && used >= limit;
  for (const choice of choicesOf(body)) {
    const reason = choice["finish_reason"];
    if (typeof reason !== "string" || reason === "") continue;
    const place = isCut ? "at the limit of tokens" : hasTools(request) ? "with tools" : "at its natural end";
    yield { requirement: "CMPL-017", outcome: "observed", exchanges: [exchange.seq], answer: `${place}: ${reason.slice(0, 40)}` };
    // Only a case that provides for it tells a natural end from a cut by the service.
    if (exchange.label !== "natural-end" || isCut) continue;
    yield reason === "stop"
      ? { requirement: "CMPL-016", outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement: "CMPL-016",
          outcome: "fail",
          exchanges: [exchange.seq],
          message: "a completion that ended by itself does not say so",
          expected: "finish_reason stop",
          observed: `finish_reason ${showValue(reason)}`,
        };
  }
}
