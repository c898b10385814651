import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";

/** Top-level members that the specification shows; more are permitted and only listed. */
const shown: ReadonlyMap<EndpointId | null, readonly string[]> = new Map([
  ["chat", ["id", "object", "created", "model", "choices", "usage"]],
  ["embeddings", ["object", "data", "model", "usage"]],
  ["images", ["created", "data"]],
  ["transcriptions", ["text"]],
  ["models", ["object", "data"]],
  ["usage", ["object", "data", "aggregate"]],
]);

export const openObjects: ExchangeJudge = {
  scope: "exchange",
  id: "open-objects",
  covers: ["SVC-016"],
  concerns: ({ endpoint, status, streamed }) => endpoint !== null && status < 300 && !streamed,
  judge({ endpoint, isSuccess, responseObject: body }, outcomes) {
    const names = shown.get(endpoint);
    if (names === undefined || body === null || !isSuccess) return;
    outcomes.observed("SVC-016", () => {
      const extra = Object.keys(body).filter((name) => !names.includes(name));
      return extra.length === 0 ? `${endpoint}: no further members` : `${endpoint}: also ${extra.sort().join(", ")}`;
    });
  },
};
