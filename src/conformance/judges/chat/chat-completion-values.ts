import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { isComplete, isDescribedSuccess } from "../../judging/subjects.ts";
import { isJsonObject, type JsonObject, type JsonValue, showValue } from "../../judging/json-value.ts";
import { type ChatAnswer, chatAnswer, choicesOf, hasTools, tokenCount } from "./chat-answer.ts";

/** A clock may be off and a queue may delay, but not by this much. */
const createdToleranceSeconds = 300;

/** Label of a chat that has room for its whole answer. */
export const naturalEndLabel = "natural-end";

/** The values of one completion that a schema cannot describe: time, arithmetic, indexes, limits that were asked for. */
export const chatCompletionValues: ExchangeJudge = {
  scope: "exchange",
  id: "chat-completion-values",
  covers: ["CMPL-005", "CMPL-011", "CMPL-016", "CMPL-017", "CMPL-022", "CHAT-016", "CHAT-029"],
  concerns: ({ endpoint, status }) => endpoint === "chat" && status < 300,
  judge(exchange, outcomes) {
    const answer = chatAnswer(exchange);
    if (answer === null) {
      if (exchange.endpoint === "chat" && exchange.asksForStream && isDescribedSuccess(exchange) && isComplete(exchange)) {
        judgeLength(exchange.requestObject?.["max_tokens"], exchange.usage?.completionTokens ?? null, outcomes);
      }
      return;
    }
    const choices = choicesOf(answer.body);
    judgeCreated(answer, outcomes);
    judgeIndexes(choices, outcomes);
    judgeTotal(answer, outcomes);
    judgeLength(answer.request["max_tokens"], tokenCount(answer.body, "completion_tokens"), outcomes);
    judgeFinish(answer, choices, outcomes);
    if (!hasTools(answer.request)) return;
    outcomes.observed("CHAT-016", () =>
      choices.some(({ message }) => isJsonObject(message) && "tool_calls" in message)
        ? "calls a tool"
        : "answers without calling a tool",
    );
  },
};

function judgeCreated({ exchange, body: { created } }: ChatAnswer, outcomes: Outcomes): void {
  if (typeof created !== "number") return;
  const nowSeconds = exchange.targetNowSeconds;
  const isNow = (seconds: number): boolean => Math.abs(seconds - nowSeconds) <= createdToleranceSeconds;
  outcomes.passOrFail("CMPL-005", isNow(created), () => ({
    kind: isNow(created / 1000) ? "created is in milliseconds, not in seconds" : "created is not the time of the answer",
    expected: `Unix seconds within ${createdToleranceSeconds} s of ${Math.round(nowSeconds)}`,
    observed: String(created),
  }));
}

function judgeIndexes(choices: readonly JsonObject[], outcomes: Outcomes): void {
  if (choices.length === 0) return;
  const isRange = choices.every((_, place) => choices.some(({ index }) => index === place));
  outcomes.passOrFail("CMPL-011", isRange, () => ({
    kind: "the indexes of the choices do not count from 0",
    expected: `each of 0 to ${choices.length - 1} once`,
    observed: showValue(choices.map(({ index }) => index)),
  }));
}

function judgeTotal({ body }: ChatAnswer, outcomes: Outcomes): void {
  const prompt = tokenCount(body, "prompt_tokens");
  const completion = tokenCount(body, "completion_tokens");
  const total = tokenCount(body, "total_tokens");
  if (prompt === null || completion === null || total === null) return;
  outcomes.passOrFail("CMPL-022", total === prompt + completion, () => ({
    kind: "total_tokens is not the sum of prompt_tokens and completion_tokens",
    expected: `${prompt} + ${completion} = ${prompt + completion}`,
    observed: String(total),
  }));
}

/** Of an answer in one piece, and of a stream that states its usage. */
function judgeLength(limit: JsonValue | undefined, used: number | null, outcomes: Outcomes): void {
  if (typeof limit !== "number" || limit < 1 || used === null) return;
  outcomes.passOrFail("CHAT-029", used <= limit, () => ({
    kind: "the completion is longer than max_tokens allows",
    expected: `at most ${limit} completion_tokens`,
    observed: `${used} completion_tokens`,
  }));
}

function judgeFinish({ exchange, request, body }: ChatAnswer, choices: readonly JsonObject[], outcomes: Outcomes): void {
  const limit = request["max_tokens"];
  const used = tokenCount(body, "completion_tokens");
  const isCut = typeof limit === "number" && used !== null && used >= limit;
  for (const { finish_reason: reason } of choices) {
    if (typeof reason !== "string" || reason === "") continue;
    outcomes.observed("CMPL-017", () => {
      const place = isCut ? "at the limit of tokens" : hasTools(request) ? "with tools" : "at its natural end";
      return `${place}: ${reason.slice(0, 40)}`;
    });
    // Only a case that provides for it distinguishes a natural end from a cut by the service.
    if (exchange.label !== naturalEndLabel || isCut) continue;
    outcomes.passOrFail("CMPL-016", reason === "stop", () => ({
      kind: "a completion that ended by itself does not say so",
      expected: "finish_reason stop",
      observed: `finish_reason ${showValue(reason)}`,
    }));
  }
}
