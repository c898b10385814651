import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import { isDescribedSuccess, isEventStream } from "../../judging/subjects.ts";

function holdsEvents({ response }: ExchangeFacts): boolean {
  return /^\uFEFF?(?:(?:data|event|id|retry)?:.*(?:\r\n?|\n))+/.test(response?.body?.text ?? "");
}

/** `stream` decides between one object and an event stream; without it the answer is one object. */
export const chatStreamDefault: ExchangeJudge = {
  scope: "exchange",
  id: "chat-stream-default",
  aspect: "stream",
  covers: ["CHAT-010", "CHAT-011", "CHAT-012"],
  concerns: ({ endpoint, status }) => endpoint === "chat" && status < 300,
  judge(exchange, outcomes) {
    const { requestObject: request, mediaType } = exchange;
    if (!isDescribedSuccess(exchange) || request === null) return;
    const { stream: asked } = request;
    if (asked !== undefined && typeof asked !== "boolean") return;
    const requirement = asked === true ? "CHAT-010" : asked === false ? "CHAT-011" : "CHAT-012";
    const streamed = isEventStream(exchange) || mediaType === "text/event-stream";
    outcomes.passOrFail(requirement, streamed === (asked === true), () => ({
      kind:
        asked === true
          ? "stream is true, but the answer is not an event stream"
          : `stream is ${asked === false ? "false" : "not given"}, but the answer is not one JSON object`,
      ...(asked === true && !streamed && holdsEvents(exchange)
        ? {
            message: `the answer is an event stream, but its Content-Type is ${mediaType ?? "absent"}, so that no client reads it as one`,
          }
        : {}),
      expected: asked === true ? "text/event-stream" : "one Chat completion object",
      observed: showAnswer(exchange),
    }));
  },
};
