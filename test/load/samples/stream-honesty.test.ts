import { describe, expect, it } from "vitest";
import type { RecordedEvent } from "../../../src/core/exchange/exchange.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { rankCorrelation } from "../../../src/load/statistics/rank-correlation.ts";
import { observeStreams } from "../../../src/load/samples/stream-honesty.ts";
import { context, cutShort, delta, event, exchangeOf, streamed } from "../../make/load/exchange-fixture.ts";

const record = (events: readonly RecordedEvent[]): LoadRecord => measureExchange(streamed(events), context).record;
const words = (instants: readonly number[], read?: number): readonly RecordedEvent[] =>
  instants.map((at, index) => delta(at, { content: `w${index}` }, {}, read ?? index + 1));
const ids = (records: readonly LoadRecord[]): readonly string[] => observeStreams(records).observations.map(({ id }) => id);
const every = (fromMs: number, gapMs: number, count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => fromMs + gapMs * index);

describe("observeStreams", () => {
  it("has nothing to say about an honest stream, nor about a fast one", () => {
    expect(ids([record(words(every(200, 12, 20)))])).toEqual([]);
    // A model that answers within 30 ms cannot be distinguished from a buffer: no accusation.
    expect(ids([record(words(every(110, 0.1, 20), 1))])).toEqual([]);
  });

  it("names a buffered stream", () => {
    const {
      observations: [found],
    } = observeStreams([record(words(every(800, 0, 20), 1)), record(words(every(200, 12, 20)))]);
    expect(found).toMatchObject({ id: "buffered", count: 1, outOf: 2 });
  });

  it("names a replayed stream", () => {
    expect(ids([record(words(every(900, 0.05, 20)))])).toEqual(["fake"]);
  });

  it("names clumps", () => {
    const events = every(200, 100, 6).flatMap((at, group) => words([at, at, at, at], group + 1));
    expect(ids([record(events)])).toEqual(["clumped"]);
  });

  it("names a role that comes long before the first token", () => {
    expect(ids([record([delta(105, { role: "assistant", content: "" }), ...words(every(400, 10, 10))])])).toEqual(["early-role"]);
  });

  it("names broken framing, missing ends and streams without tokens", () => {
    expect(ids([measureExchange(cutShort([...words(every(200, 10, 3)), event(300, "{broken")]), context).record])).toEqual([
      "broken-framing",
      "unfinished",
    ]);
    expect(ids([record([delta(120, { role: "assistant" })])])).toEqual(["no-token"]);
  });

  it("names answers that are generated whole: the first token waits in proportion to the length", () => {
    const subjects = Array.from({ length: 30 }, (_, index) => {
      const tokens = 10 + index;
      return record(words(every(100 + 12 * tokens, 0.2, tokens)));
    });
    expect(ids(subjects)).toContain("generated-whole");
    const honest = Array.from({ length: 30 }, (_, index) => record(words(every(200, 12, 10 + index))));
    expect(ids(honest)).toEqual([]);
  });

  it("looks at answers only", () => {
    const failed = measureExchange(exchangeOf({ failure: { kind: "timeout", message: "late" } }), context).record;
    expect(observeStreams([failed]).observations).toEqual([]);
  });
});

describe("rankCorrelation", () => {
  it("is 1 for any rising relation, -1 for falling, 0 for a constant", () => {
    expect(rankCorrelation([1, 2, 3, 4], [1, 4, 9, 100])).toBeCloseTo(1);
    expect(rankCorrelation([1, 2, 3, 4], [9, 5, 2, 1])).toBeCloseTo(-1);
    expect(rankCorrelation([1, 2, 3], [5, 5, 5])).toBe(0);
    expect(rankCorrelation([1, 1, 2], [3, 3, 4])).toBeCloseTo(1);
  });
});
