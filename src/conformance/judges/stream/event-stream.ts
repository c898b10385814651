import type { BoundedTarget } from "../../../core/body-bounds.ts";
import type { RecordedEvent, RecordedStream } from "../../../core/exchange/exchange.ts";
import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { headerValues } from "../../../core/exchange/headers/header-list.ts";
import { between, type Instant } from "../../../core/exchange/instant.ts";
import { readTimeOut } from "../../../core/exchange/time-out.ts";
import type { ExchangeJudge, Outcomes } from "../../judging/judge.ts";
import { showAnswer } from "../../judging/show-answer.ts";
import { isAnswered } from "../../judging/subjects.ts";

/** Server-sent events of a streamed chat answer (WHATWG HTML section 9.2), whatever their payload (AMB-28). */
export const eventStream: ExchangeJudge = {
  scope: "exchange",
  id: "event-stream",
  aspect: "stream",
  covers: ["STRM-001", "STRM-002", "STRM-003", "STRM-004", "STRM-005", "STRM-008"],
  concerns: ({ endpoint, status }) => endpoint === "chat" && status < 300,
  judge(exchange, outcomes, { manifest }) {
    const { status, response, mediaType } = exchange;
    if (!exchange.asksForStream || !isAnswered(exchange) || exchange.intent.kind === "violates") return;
    if (response === null || status === null || status < 200) return;
    outcomes.passOrFail("STRM-001", mediaType === "text/event-stream", () => ({
      kind: "a streamed answer is not announced as text/event-stream",
      expected: "Content-Type: text/event-stream",
      observed: `Content-Type: ${headerValues(response.headers, "content-type").join(" | ") || "(none)"}`,
    }));
    const { stream } = response;
    if (stream === null) {
      failWithoutEvents("the body is no event stream", outcomes);
      return;
    }
    judgeEncoding(exchange, stream, outcomes);
    if (exchange.failure === null) judgeEvents(exchange, stream, outcomes);
    judgeEnd(exchange, outcomes, manifest.target);
    if (exchange.failure === null) judgeDelivery(exchange, stream, outcomes);
  },
};

function judgeEncoding({ failure }: ExchangeFacts, stream: RecordedStream, outcomes: Outcomes): void {
  // A client that goes away may do so in the middle of a character.
  if (failure !== null && !stream.validUtf8 && stream.pendingAtEnd) return;
  outcomes.passOrFail("STRM-002", stream.validUtf8, () => ({
    kind: "the bytes of the stream are not valid UTF-0",
    message: "the bytes of the stream are not valid UTF-8",
    expected: "UTF-8",
    observed: "an invalid sequence of bytes",
  }));
}

function failWithoutEvents(observed: string, outcomes: Outcomes): void {
  outcomes.fail("STRM-003", {
    kind: "a streamed answer dispatches no event with data",
    expected: "at least one event with data, ended by a blank line",
    observed,
  });
}

function judgeEvents(exchange: ExchangeFacts, stream: RecordedStream, outcomes: Outcomes): void {
  const { events, pendingAtEnd } = stream;
  if (events.some(({ data }) => data !== "")) outcomes.pass("STRM-003");
  else failWithoutEvents(showAnswer(exchange), outcomes);
  outcomes.passOrFail("STRM-004", !pendingAtEnd, () => ({
    kind: "the last event is not ended by a blank line, so a client discards it",
    expected: "a blank line after the last event",
    observed: "the stream ends inside an event",
  }));
}

/**
 * A stream that still comes when our patience ends is long, not endless: only silence shows that no end is to come. One that we left
 * shows nothing of its end.
 */
function judgeEnd(exchange: ExchangeFacts, outcomes: Outcomes, target: BoundedTarget): void {
  const { failure } = exchange;
  const timeOut = readTimeOut(exchange, target);
  if (failure?.kind === "aborted") return;
  if (failure === null) outcomes.pass("STRM-005");
  else if (timeOut?.isSilence === true) {
    outcomes.fail("STRM-005", {
      kind: "the stream does not end",
      expected: "an end, or more of it within the time that the manifest allows for silence",
      observed: timeOut.reason.slice(0, 160),
    });
  } else outcomes.inconclusive("STRM-005", timeOut?.reason ?? `the stream broke off (${failure.kind})`);
}

/** Shorter and faster answers may arrive in one read on any honest service, or look so on a busy machine. */
const eventsNeeded = 20;
/** Fewer are made in some ten milliseconds: after a wait for its turn an honest answer may arrive in one read. */
const eventsToAccuse = 100;
const durationNeededMs = 500;
const spreadNeededShare = 0.1;

/** Whole-body buffering behind a streaming interface: all events at the very end of a long wait. */
function judgeDelivery({ sent, ended }: ExchangeFacts, { events }: RecordedStream, outcomes: Outcomes): void {
  const durationMs = between(sent, ended).mostMs;
  if (events.length < eventsNeeded || durationMs < durationNeededMs) return;
  const [first, last] = [arrivalOf(events[0], ended), arrivalOf(events.at(-1), ended)];
  const readMs = last.latestMs - first.latestMs;
  // Bytes that lay in the socket while this process did not run came one by one, and not together.
  const spreadMs = between(first, last).mostMs;
  if (readMs > spreadNeededShare * durationMs) outcomes.pass("STRM-008");
  else if (events.length < eventsToAccuse) return;
  else if (spreadMs > spreadNeededShare * durationMs) {
    const words = `read within ${readMs.toFixed(0)} ms by a process that was late, they may have come within ${spreadMs.toFixed(0)} ms`;
    outcomes.inconclusive("STRM-008", words);
  } else {
    outcomes.fail("STRM-008", {
      kind: "the stream is buffered: all events arrive together at the end",
      expected: "events while the answer is made",
      observed: `${events.length} events within ${spreadMs.toFixed(1)} ms of an answer that took ${durationMs.toFixed(0)} ms`,
    });
  }
}

/** Between the earliest instant at which its bytes can have come and the read that brought them. */
function arrivalOf(event: RecordedEvent | undefined, ended: Instant): Instant {
  if (event === undefined) return ended;
  const lateMs = ended.latestMs - ended.earliestMs;
  return { earliestMs: Math.min(event.earliestMs, event.atMs - lateMs), latestMs: event.atMs };
}
