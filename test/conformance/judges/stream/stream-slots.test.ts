import { expect, it } from "vitest";
import { streamSlots } from "../../../../src/conformance/judges/stream/stream-slots.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { first, good, streamed } from "../../../make/exchanges/make-stream.ts";
import { printJudge } from "../print-occurrences.ts";

const caseId = "stream/after-left-streams";
const failure = { kind: "aborted", message: "left" } as const;
const left = [1, 2].map((seq) => streamed([first], { seq, caseId, label: `left-${seq}`, failure }));
const whole = streamed(good, { seq: 3, caseId: "stream/short" });

/** A try of the stream afterwards: null is a stream. */
const tried = (seq: number, round: number, status: number | null): Exchange =>
  status === null
    ? streamed(good, { seq, caseId, label: `stream-${round}` })
    : makeExchange({ seq, caseId, label: `stream-${round}`, endpoint: "chat", sent: { stream: true }, status });
const plain = (seq: number, status = 200): Exchange => makeExchange({ seq, caseId, label: "plain", endpoint: "chat", status });
const verdicts = (record: readonly Exchange[]): readonly string[] =>
  printJudge(streamSlots, record).map((line) => line.split(" #")[0] ?? "");

it("fails where a key that was given streams, left or whole, gets none any more and plain answers go on", () => {
  expect(verdicts([...left, tried(4, 1, 503), tried(5, 2, 503), plain(6)])).toEqual(["STRM-018 fail"]);
  expect(verdicts([whole, tried(4, 1, 429), tried(5, 2, 429), plain(6)])).toEqual(["STRM-018 fail"]);
});

it("passes where the first or a later try is given a stream", () => {
  expect(verdicts([...left, tried(4, 1, null)])).toEqual(["STRM-018 pass"]);
  expect(verdicts([...left, tried(4, 1, 503), tried(5, 2, null)])).toEqual(["STRM-018 pass"]);
});

it("blames no stream where plain requests are refused as well, and nobody who never gave one", () => {
  expect(verdicts([...left, tried(4, 1, 503), plain(6, 503)])).toEqual(["STRM-018 inconclusive"]);
  expect(verdicts([tried(4, 1, 503), plain(6)])).toEqual([]);
});

it("takes our own deadlines for no refusal", () => {
  const late = { kind: "timeout", message: "not finished in time" } as const;
  const begun = [4, 5].map((seq) => streamed([first], { seq, caseId, label: `stream-${seq - 3}`, failure: late }));
  expect(verdicts([...left, ...begun, plain(6)])).toEqual(["STRM-018 inconclusive"]);
});

it("judges a repetition, in which no stream is given from its beginning, by those before", () => {
  const again = [tried(11, 1, 503), tried(12, 2, 503), plain(13)];
  expect(verdicts([...left, tried(4, 1, 503), plain(6), ...again])).toEqual(["STRM-018 fail", "STRM-018 fail"]);
});
