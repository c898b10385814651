import type { RecordedEvent } from "../../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import type { ExchangeJudge } from "../../judging/judge.ts";
import { isJsonObject } from "../../judging/json-value.ts";
import { chunkObjects } from "./stream-chunks.ts";

/** The parts of streams that the specification leaves open: payload, end marker, errors inside, usage (AMB-28). */
export const streamObservations: ExchangeJudge = {
  scope: "exchange",
  id: "stream-observations",
  covers: ["STRM-006", "STRM-007", "STRM-013", "STRM-014", "RATE-041"],
  concerns: ({ streamed }) => streamed,
  judge(exchange, outcomes) {
    const last = exchange.response?.stream?.events.at(-1);
    if (last === undefined || !exchange.asksForStream) return;
    const { failure } = exchange;
    outcomes.observed("STRM-006", () => describePayload(exchange));
    outcomes.observed("STRM-007", () => `ends with ${describeEnd(last)}`);
    if (exchange.eventValues.some((value) => isJsonObject(value) && value["error"] !== undefined)) {
      outcomes.observed("STRM-013", () => "an error inside the stream");
    } else if (failure !== null) outcomes.observed("STRM-013", () => `broken off: ${failure.kind}`);
    outcomes.observed("STRM-014", () =>
      chunkObjects(exchange).some((chunk) => isJsonObject(chunk["usage"])) ? "usage in the stream" : "no event has usage",
    );
    outcomes.observed("RATE-041", () => "token headers come before the answer is known");
  },
};

function describeEnd({ data, event }: RecordedEvent): string {
  if (data === "[DONE]") return "data: [DONE]";
  return event === "message" ? "nothing but the end of the body" : `event ${event}`;
}

function describePayload({ response, eventValues }: ExchangeFacts): string {
  const events = response?.stream?.events ?? [];
  const objects = new Set<string>();
  for (const [place, { data }] of events.entries()) {
    const value = eventValues[place];
    if (isJsonObject(value)) objects.add(JSON.stringify(value["object"] ?? null));
    else if (data !== "[DONE]") objects.add("no JSON object");
  }
  const names = new Set(events.map((event) => event.event));
  return `events ${[...names].sort().slice(0, 4).join(", ")}; objects ${[...objects].sort().slice(0, 4).join(", ")}`;
}
