import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { isSuccess, responseObject } from "../../judging/exchange-view.ts";
import { createGlancedLists } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";

/** Top-level members that the specification shows; more are permitted and only listed. */
const shown: ReadonlyMap<EndpointId | null, readonly string[]> = new Map([
  ["chat", ["id", "object", "created", "model", "choices", "usage"]],
  ["embeddings", ["object", "data", "model", "usage"]],
  ["images", ["created", "data"]],
  ["transcriptions", ["text"]],
  ["models", ["object", "data"]],
  ["usage", ["object", "data", "aggregate"]],
]);

const glanced = createGlancedLists(["SVC-016"]);

export const openObjects: ExchangeJudge = {
  scope: "exchange",
  id: "open-objects",
  covers: ["SVC-016"],
  concerns: ({ endpoint, status, streamed }) => endpoint !== null && status < 300 && !streamed,
  glance(exchange) {
    return glanced(shown.has(exchange.endpoint) && isSuccess(exchange) && responseObject(exchange) !== null ? 1 : 0);
  },
  *judge(exchange): Iterable<Occurrence> {
    const names = shown.get(exchange.endpoint);
    const body = responseObject(exchange);
    if (names === undefined || body === null || !isSuccess(exchange)) return;
    const extra = Object.keys(body).filter((name) => !names.includes(name));
    yield {
      requirement: "SVC-016",
      outcome: "observed",
      exchanges: [exchange.seq],
      answer:
        extra.length === 0 ? `${exchange.endpoint}: no further members` : `${exchange.endpoint}: also ${extra.sort().join(", ")}`,
    };
  },
};
