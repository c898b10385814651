import type { EndpointId } from "../../../core/exchange/endpoint.ts";
import { isSuccess, requestObject, responseObject, statusOf } from "../../judging/exchange-view.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";

/** What a target answers to a successful change is not described (AMB-18): it is recorded. */
export const settingsAnswer: ExchangeJudge = {
  scope: "exchange",
  id: "settings-answer",
  covers: ["KEY-020", "ACC-009"],
  concerns: ({ intent }) => intent === "valid",
  *judge(exchange): Iterable<Occurrence> {
    const requirement = rows.get(exchange.endpoint);
    if (requirement === undefined || exchange.intent.kind !== "valid" || !isSuccess(exchange)) return;
    const sent = Object.entries(requestObject(exchange) ?? {});
    const body = responseObject(exchange);
    const echoed = body !== null && sent.length > 0 && sent.every(([name, value]) => body[name] === value);
    const content = body === null ? "without a JSON object" : echoed ? "with the new settings" : "with another JSON object";
    yield {
      requirement,
      outcome: "observed",
      exchanges: [exchange.seq],
      message: "the answer to a successful change",
      answer: `${statusOf(exchange)} ${content}`,
    };
  },
};

const rows: ReadonlyMap<EndpointId | null, string> = new Map([
  ["key-settings", "KEY-020"],
  ["account-settings", "ACC-009"],
]);
