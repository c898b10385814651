import type { RecordedStream } from "../../../src/core/exchange/exchange.ts";
import { describe, expect, it } from "vitest";
import { eventStream } from "../../../src/conformance/judges/stream/event-stream.ts";
import { streamObservations } from "../../../src/conformance/judges/stream/stream-observations.ts";
import type { Exchange, TimeBound } from "../../../src/core/exchange/exchange.ts";
import { base, done, first, good, streamed } from "../../make/exchanges/make-stream.ts";
import { printJudge } from "./print-occurrences.ts";

describe("event-stream", () => {
  const verdicts = (exchange: Exchange): readonly string[] =>
    printJudge(eventStream, [exchange]).map((line) => line.split(" #")[0] ?? "");
  const twenty = Array.from({ length: 20 }, () => first);
  const hundred = Array.from({ length: 100 }, () => first);
  const spread = (count: number, spreadMs: number): readonly number[] =>
    Array.from({ length: count }, (_, index) => (index === count - 1 ? spreadMs : 0));
  const delivery = (payloads: readonly unknown[], durationMs: number, spreadMs: number): readonly string[] =>
    verdicts(streamed(payloads, { sentMs: 0, endMs: durationMs, stampsMs: spread(payloads.length, spreadMs) })).filter((line) =>
      line.startsWith("STRM-008"),
    );

  it("judges delivery only of long answers with many events", () => {
    expect(delivery(hundred, 500, 0)).toEqual(["STRM-008 fail"]);
    expect(delivery(hundred, 499, 0)).toEqual([]);
    expect(delivery(twenty, 500, 60)).toEqual(["STRM-008 pass"]);
    expect(delivery(twenty.slice(1), 500, 60)).toEqual([]);
    expect(delivery([], 500, 0)).toEqual([]);
  });

  it("accuses no short answer that waited for its turn", () => {
    expect(delivery(hundred.slice(1), 500, 0)).toEqual([]);
    expect(delivery(twenty, 5000, 20)).toEqual([]);
  });

  it("holds no deadline against a stream that was still coming, and none of a late instrument", () => {
    const ended = (bound: TimeBound, lateMs = 0): readonly string[] =>
      verdicts(streamed(twenty, { failure: { kind: "stream-timeout", message: "m", bound }, endMs: 90_000, lateMs })).filter(
        (line) => line.startsWith("STRM-005"),
      );
    expect(ended({ until: "end", ms: 64_000 })).toEqual(["STRM-005 inconclusive"]);
    expect(ended({ until: "bytes", ms: 60_000 })).toEqual(["STRM-005 fail"]);
    expect(ended({ until: "bytes", ms: 500 })).toEqual(["STRM-005 inconclusive"]);
    expect(ended({ until: "bytes", ms: 60_000 }, 8000)).toEqual(["STRM-005 inconclusive"]);
  });

  it("wants events over more than a tenth of the answer", () => {
    expect(delivery(hundred, 500, 50)).toEqual(["STRM-008 fail"]);
    expect(delivery(hundred, 500, 50.1)).toEqual(["STRM-008 pass"]);
    expect(delivery(hundred, 1000, 60)).toEqual(["STRM-008 fail"]);
    const late = streamed(hundred, { sentMs: 100, endMs: 700, stampsMs: hundred.map((_, index) => 600 + index / 2) });
    expect(printJudge(eventStream, [late]).at(-1)).toBe(
      "STRM-008 fail #1: the stream is buffered: all events arrive together at the end [expected events while the answer is made] [observed 100 events within 49.5 ms of an answer that took 600 ms]",
    );
  });

  it("says of a broken stream only what is certain", () => {
    const failure = { kind: "connection-closed", message: "closed" } as const;
    expect(verdicts(streamed(twenty, { failure, endMs: 9000 }))).toEqual([
      "STRM-001 pass",
      "STRM-002 pass",
      "STRM-005 inconclusive",
    ]);
    const endless = { kind: "stream-timeout", message: "x".repeat(200) } as const;
    expect(printJudge(eventStream, [streamed(twenty, { failure: endless })]).at(-1)).toBe(
      `STRM-005 fail #1: the stream does not end [expected an end, or more of it within the time that the manifest allows for silence] [observed ${"x".repeat(160)}]`,
    );
  });

  it("does not blame the target for a character in whose middle its client left", () => {
    const failure = { kind: "aborted", message: "left" } as const;
    const cut = (stream: Partial<RecordedStream>, rest: Parameters<typeof streamed>[1]): readonly string[] => {
      const exchange = streamed(twenty, rest);
      const { response } = exchange;
      const whole = response?.stream;
      if (response === null || whole == null) throw new Error("no stream");
      return verdicts({ ...exchange, response: { ...response, stream: { ...whole, ...stream } } }).filter((line) =>
        line.startsWith("STRM-002"),
      );
    };
    expect(cut({ validUtf8: false, pendingAtEnd: true }, { failure })).toEqual([]);
    expect(cut({ validUtf8: false, pendingAtEnd: false }, { failure })).toEqual(["STRM-002 fail"]);
    expect(cut({ validUtf8: false, pendingAtEnd: true }, {})).toEqual(["STRM-002 fail"]);
  });

  it.each([
    [199, 0],
    [200, 5],
    [299, 5],
    [300, 0],
  ] as const)("judges an answer with %i by %i rows", (status, rows) => {
    expect(verdicts(streamed(good, { status }))).toHaveLength(rows);
  });
});

describe("stream-observations", () => {
  it("notes payload, end, errors and usage", () => {
    const usage = { ...base, choices: [], usage: { total_tokens: 1 } };
    expect(printJudge(streamObservations, [streamed([first, "7", usage, done])])).toEqual([
      'STRM-006 observed #1 = events message; objects "chat.completion.chunk", no JSON object',
      "STRM-007 observed #1 = ends with data: [DONE]",
      "STRM-014 observed #1 = usage in the stream",
      "RATE-041 observed #1 = token headers come before the answer is known",
    ]);
    const named = streamed([{ error: {} }, { usage: null }], { names: ["z", "end"] });
    expect(printJudge(streamObservations, [named]).slice(0, 4)).toEqual([
      "STRM-006 observed #1 = events end, z; objects null",
      "STRM-007 observed #1 = ends with event end",
      "STRM-013 observed #1 = an error inside the stream",
      "STRM-014 observed #1 = no event has usage",
    ]);
    const broken = streamed([first], { failure: { kind: "connection-closed", message: "" } });
    expect(printJudge(streamObservations, [broken]).slice(1, 3)).toEqual([
      "STRM-007 observed #1 = ends with nothing but the end of the body",
      "STRM-013 observed #1 = broken off: connection-closed",
    ]);
    expect(printJudge(streamObservations, [streamed([])])).toEqual([]);
    expect(printJudge(streamObservations, [streamed(good, { sent: {} })])).toEqual([]);
  });

  it("lists four names and four objects at most, in order", () => {
    const many = ["e", "d", "c", "b", "a"];
    const reported = printJudge(streamObservations, [
      streamed(
        many.map((object) => ({ object })),
        { names: many },
      ),
    ]);
    expect(reported[0]).toBe('STRM-006 observed #1 = events a, b, c, d; objects "a", "b", "c", "d"');
  });
});
