import { describe, expect, it } from "vitest";
import { createRandom } from "../../src/core/random.ts";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { givenUpRecord } from "../../src/load/samples/unanswered-record.ts";
import { estimatePercentile, sampleFloor, reportedPercentile } from "../../src/load/statistics/percentile-estimate.ts";
import { createSampleSet } from "../../src/load/statistics/sample-set.ts";
import { createSecondSeries } from "../../src/load/generator/second-series.ts";
import { reconcileServerTimings } from "../../src/load/samples/server-truth.ts";
import { context } from "../make/load/exchange-fixture.ts";

/** Answers of one second, the first token of each some milliseconds later than that of the one before. */
function answers(count: number): readonly LoadRecord[] {
  return Array.from({ length: count }, (_, index): LoadRecord => ({
    ...givenUpRecord({ ...context, intendedMs: 10, issuedMs: 12 }, 12),
    outcome: "ok",
    sentMs: 12,
    firstTokenMs: 13 + index,
    answeredMs: 900,
    endMs: 900,
    serverTimings: { source: "server-timing", queueMs: 0, prefillMs: 1, decodeMs: 10, decodedTokens: null },
  }));
}

describe("a percentile", () => {
  it("is reported from one floor on, by the same rank, whether of a list or of samples", () => {
    const random = createRandom(3);
    for (const percentile of [50, 90, 95, 99]) {
      for (const count of [sampleFloor(percentile) - 1, sampleFloor(percentile), 777]) {
        const values = Array.from({ length: count }, () => random.next());
        const samples = createSampleSet();
        for (const value of values) samples.add(value);
        expect(reportedPercentile(values, percentile)).toBe(estimatePercentile(samples, percentile).value);
      }
    }
  });

  it("is not stated for a second with a few answers, which reports its slowest instead", () => {
    const secondOf = (count: number): object | undefined => {
      const series = createSecondSeries(0);
      for (const record of answers(count)) {
        series.sent(12);
        series.left(900);
        series.recorded(record);
      }
      return series.seconds()[0];
    };
    const few = { ttftCount: 4, ttftP50: null, ttftP99: null, ttftMax: 4, dispatchDelayP99: null, dispatchDelayMax: 2 };
    expect(secondOf(4)).toMatchObject(few);
    expect(secondOf(40)).toMatchObject({ ttftCount: 40, ttftP50: 20, ttftP99: null, ttftMax: 40 });
    expect(secondOf(400)).toMatchObject({ ttftP99: 396, dispatchDelayP99: 2 });
  });

  it("is not stated for two dozen answers beside the account of the server", () => {
    const { firstTokenDifferenceMs } = reconcileServerTimings(answers(24)) ?? {};
    expect(firstTokenDifferenceMs).toEqual({ p50: 11, p99: null, max: 23, samples: 24 });
  });
});
