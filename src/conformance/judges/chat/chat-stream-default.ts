import { asksForStream, isDescribedSuccess, mediaTypeOf, requestObject } from "../../judging/exchange-view.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isEventStream } from "../subjects.ts";

const glanced = createGlancedLists(["CHAT-010", "CHAT-012"]);

/** `stream` decides between one object and an event stream; without it the answer is one object. */
export const chatStreamDefault: ExchangeJudge = {
  scope: "exchange",
  id: "chat-stream-default",
  covers: ["CHAT-010", "CHAT-011", "CHAT-012"],
  concerns: ({ endpoint, status }) => endpoint === "chat" && status < 300,
  glance(exchange) {
    const { response } = exchange;
    if (exchange.endpoint !== "chat" || !isDescribedSuccess(exchange) || response === null) return glanced(0);
    const stream = requestObject(exchange)?.["stream"];
    if (isEventStream(exchange)) return stream === true ? glanced(1) : null;
    return stream === undefined && requestObject(exchange) !== null && mediaTypeOf(response) !== "text/event-stream"
      ? glanced(2)
      : null;
  },
  *judge(exchange): Iterable<Occurrence> {
    if (exchange.endpoint !== "chat" || !isDescribedSuccess(exchange) || exchange.response === null) return;
    const request = requestObject(exchange);
    if (request === null || !(request["stream"] === undefined || typeof request["stream"] === "boolean")) return;
    const streamed = isEventStream(exchange) || mediaTypeOf(exchange.response) === "text/event-stream";
    const wanted = asksForStream(exchange);
    const requirement = wanted ? "CHAT-010" : request["stream"] === false ? "CHAT-011" : "CHAT-012";
    const isRight = wanted === streamed;
    yield isRight
      ? { requirement, outcome: "pass", exchanges: [exchange.seq] }
      : {
          requirement,
          outcome: "fail",
          exchanges: [exchange.seq],
          message: wanted
            ? "stream is true, but the answer is not an event stream"
            : `stream is ${request["stream"] === false ? "false" : "not given"}, but the answer is not one JSON object`,
          expected: wanted ? "text/event-stream" : "one Chat completion object",
          observed: streamed ? "an event stream" : `a body of type ${mediaTypeOf(exchange.response) ?? "(none)"}`,
        };
  },
};
