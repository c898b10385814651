import type { RecordedStream } from "../../../core/exchange/exchange.ts";
import { asksForStream } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isJsonObject } from "../../judging/json-value.ts";
import { readChunks } from "./stream-chunks.ts";
import { isUsualStream } from "./usual-stream.ts";

const glanced = createGlancedLists(["STRM-006", "STRM-007", "STRM-013", "STRM-014", "RATE-041"]);

/** What the specification leaves open about streams: payload, end marker, errors inside, usage (AMB-28). */
export const streamObservations: ExchangeJudge = {
  scope: "exchange",
  id: "stream-observations",
  covers: ["STRM-006", "STRM-007", "STRM-013", "STRM-014", "RATE-041"],
  concerns: ({ streamed }) => streamed,
  glance(exchange) {
    const stream = exchange.response?.stream ?? null;
    if (stream === null || !asksForStream(exchange) || stream.events.length === 0) return nothingGlanced;
    const broken = exchange.failure !== null || (!isUsualStream(stream) && holdsError(stream));
    return glanced(broken ? 0b11111 : 0b11011);
  },
  *judge(exchange): Iterable<Occurrence> {
    const stream = exchange.response?.stream ?? null;
    if (stream === null || !asksForStream(exchange)) return;
    const last = stream.events.at(-1);
    if (last === undefined) return;
    const say = (requirement: string, answer: string): Occurrence => ({
      requirement,
      outcome: "observed",
      exchanges: [exchange.seq],
      answer,
    });
    const chunks = readChunks(stream);
    yield say("STRM-006", describePayload(stream));
    const marker =
      last.data === "[DONE]"
        ? "data: [DONE]"
        : last.event === "message"
          ? "nothing but the end of the body"
          : `event ${last.event}`;
    yield say("STRM-007", `ends with ${marker}`);
    const inBand = chunks.find((chunk) => isJsonObject(chunk.value) && "error" in chunk.value);
    if (inBand !== undefined) yield say("STRM-013", "an error inside the stream");
    else if (exchange.failure !== null) yield say("STRM-013", `broken off: ${exchange.failure.kind}`);
    const withUsage = chunks.filter((chunk) => isJsonObject(chunk.value) && isJsonObject(chunk.value["usage"]));
    yield say("STRM-014", withUsage.length === 0 ? "no event carries usage" : "usage in the stream");
    yield say("RATE-041", "token headers come before the answer is known");
  },
};

function holdsError(stream: RecordedStream): boolean {
  return readChunks(stream).some(({ value }) => isJsonObject(value) && "error" in value);
}

function describePayload(stream: RecordedStream): string {
  const objects = new Set(
    readChunks(stream).map((chunk) =>
      isJsonObject(chunk.value) ? JSON.stringify(chunk.value["object"] ?? null) : "no JSON object",
    ),
  );
  const names = new Set(stream.events.map((event) => event.event));
  return `events ${[...names].sort().slice(0, 4).join(", ")}; objects ${[...objects].sort().slice(0, 4).join(", ")}`;
}
