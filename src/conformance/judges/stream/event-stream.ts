import type { Exchange, RecordedStream } from "../../../core/exchange/exchange.ts";
import { headerValues } from "../../../core/exchange/header-list.ts";
import { asksForStream, mediaTypeOf, statusOf } from "../../judging/exchange-view.ts";
import { createGlancedLists, nothingGlanced } from "../../verdict/glanced-lists.ts";
import type { ExchangeJudge, Occurrence } from "../../judging/judge.ts";
import { isAnswered } from "../subjects.ts";

const glanced = createGlancedLists(["STRM-001", "STRM-002", "STRM-003", "STRM-004", "STRM-005", "STRM-008"]);

/** Server-sent events of a streamed chat answer (WHATWG HTML section 9.2), whatever their payload (AMB-28). */
export const eventStream: ExchangeJudge = {
  scope: "exchange",
  id: "event-stream",
  covers: ["STRM-001", "STRM-002", "STRM-003", "STRM-004", "STRM-005", "STRM-008"],
  concerns: ({ endpoint, status }) => endpoint === "chat" && status < 300,
  glance(exchange) {
    if (!asksForStream(exchange)) return nothingGlanced;
    const { response, failure, intent } = exchange;
    if (response === null || response.stream === null || failure !== null || intent.kind === "violates") return null;
    if (response.status < 200 || response.status >= 300 || !isAnswered(exchange)) return null;
    const { stream } = response;
    if (!stream.validUtf8 || stream.pendingAtEnd || mediaTypeOf(response) !== "text/event-stream") return null;
    if (!stream.events.some(({ data }) => data !== "")) return null;
    const delivery = judgedDelivery(exchange, stream);
    return delivery === "buffered" ? null : glanced(delivery === "too short" ? 0b011111 : 0b111111);
  },
  *judge(exchange): Iterable<Occurrence> {
    if (!asksForStream(exchange) || !isAnswered(exchange) || exchange.intent.kind === "violates") return;
    const status = statusOf(exchange) ?? 0;
    if (status < 200 || status >= 300) return;
    const { response } = exchange;
    const subject = { exchanges: [exchange.seq] };
    yield mediaTypeOf(response) === "text/event-stream"
      ? { requirement: "STRM-001", outcome: "pass", ...subject }
      : {
          requirement: "STRM-001",
          outcome: "fail",
          ...subject,
          message: "a streamed answer is not announced as text/event-stream",
          expected: "Content-Type: text/event-stream",
          observed: `Content-Type: ${headerValues(response.headers, "content-type").join(" | ") || "(none)"}`,
        };
    if (response.stream === null) {
      yield noEvents(exchange, "the body is no event stream");
      return;
    }
    yield* judgeBytes(exchange, response.stream);
    yield* judgeEnd(exchange);
    yield* judgeDelivery(exchange, response.stream);
  },
};

function noEvents(exchange: Exchange, observed: string): Occurrence {
  return {
    requirement: "STRM-003",
    outcome: "fail",
    exchanges: [exchange.seq],
    message: "a streamed answer dispatches no event with data",
    expected: "at least one event with data, ended by a blank line",
    observed,
  };
}

function* judgeBytes(exchange: Exchange, stream: RecordedStream): Iterable<Occurrence> {
  const subject = { exchanges: [exchange.seq] };
  yield stream.validUtf8
    ? { requirement: "STRM-002", outcome: "pass", ...subject }
    : {
        requirement: "STRM-002",
        outcome: "fail",
        ...subject,
        message: "the bytes of the stream are not valid UTF-8",
        expected: "UTF-8",
        observed: "an invalid sequence of bytes",
      };
  if (exchange.failure !== null) return;
  const withData = stream.events.filter((event) => event.data !== "");
  yield withData.length > 0
    ? { requirement: "STRM-003", outcome: "pass", ...subject }
    : noEvents(exchange, `${stream.bytes} bytes, ${stream.events.length} events, ${stream.comments} comments`);
  yield stream.pendingAtEnd
    ? {
        requirement: "STRM-004",
        outcome: "fail",
        ...subject,
        message: "the last event is not ended by a blank line, so a client discards it",
        expected: "a blank line after the last event",
        observed: "the stream ends inside an event",
      }
    : { requirement: "STRM-004", outcome: "pass", ...subject };
}

function* judgeEnd(exchange: Exchange): Iterable<Occurrence> {
  const { failure } = exchange;
  const subject = { requirement: "STRM-005", exchanges: [exchange.seq] };
  if (failure === null) yield { ...subject, outcome: "pass" };
  else if (failure.kind === "stream-timeout") {
    yield {
      ...subject,
      outcome: "fail",
      message: "the stream does not end",
      expected: "an end within the time allowed for the answer",
      observed: failure.message.slice(0, 160),
    };
  } else {
    yield { ...subject, outcome: "inconclusive", message: `the stream broke off (${failure.kind})` };
  }
}

/** Shorter and faster answers may arrive in one read on any honest service, or look so on a busy machine. */
const eventsNeeded = 20;
const durationNeededMs = 500;
const spreadNeededShare = 0.1;

/** Whole-body buffering behind a streaming interface: all events at the very end of a long wait. */
function* judgeDelivery(exchange: Exchange, stream: RecordedStream): Iterable<Occurrence> {
  const delivery = judgedDelivery(exchange, stream);
  if (delivery === "too short" || exchange.failure !== null) return;
  const { sentMs, endMs } = exchange.timing;
  const [durationMs, spreadMs] = [endMs - sentMs, spreadOf(stream)];
  yield delivery === "spread"
    ? { requirement: "STRM-008", outcome: "pass", exchanges: [exchange.seq] }
    : {
        requirement: "STRM-008",
        outcome: "fail",
        exchanges: [exchange.seq],
        message: "the stream is buffered: all events arrive together at the end",
        expected: "events while the answer is made",
        observed: `${stream.events.length} events within ${spreadMs.toFixed(1)} ms of an answer that took ${durationMs.toFixed(0)} ms`,
      };
}

function judgedDelivery({ timing }: Exchange, stream: RecordedStream): "too short" | "spread" | "buffered" {
  const durationMs = timing.endMs - timing.sentMs;
  if (stream.events.length < eventsNeeded || durationMs < durationNeededMs) return "too short";
  const spreadMs = spreadOf(stream);
  return spreadMs > spreadNeededShare * durationMs ? "spread" : "buffered";
}

function spreadOf({ events }: RecordedStream): number {
  return (events.at(-1)?.atMs ?? 0) - (events[0]?.atMs ?? 0);
}
