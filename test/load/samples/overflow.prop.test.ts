import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { ColumnError } from "../../../src/core/columns/column.ts";
import type { LoadProfileResult } from "../../../src/core/result/load-result.ts";
import type { LedgerLine } from "../../../src/load/ledger/ledger-line.ts";
import { createOverflowCounter } from "../../../src/load/ledger/overflow-counter.ts";
import { type OverflowLine, unpackOverflow } from "../../../src/load/ledger/overflow-line.ts";
import { openShare, takeOverflow } from "../../../src/load/ledger/open-share.ts";
import { bucketOf, countValue, createCountedValues } from "../../../src/load/statistics/counted-values.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { createSampleSet } from "../../../src/load/statistics/sample-set.ts";
import { summarizeLoad } from "../../../src/load/judge/summarize-load.ts";
import { sumTokens } from "../../../src/load/judge/usage-check.ts";
import { mergeShares } from "../../../src/load/ledger/merge-shares.ts";
import type { ShareResult } from "../../../src/load/ledger/share-result.ts";
import { makeProfile, makeShare } from "../../make/results/make-load-result.ts";
import { drawnRecord } from "../drawn-record.ts";

const untilMs = 6000;
const gates = ["error_rate < 30%", "goodput > 10%", "errors <= 2", "output_tokens_rate > 1", "requests > 5"];
const profile = makeProfile(20, 10, gates);

/** At instants of a run: due, issued and sent one after the other, some in the warm-up, some again. */
const drawn: fc.Arbitrary<readonly LoadRecord[]> = fc
  .array(drawnRecord(untilMs), { minLength: 40, maxLength: 120 })
  .map((records) =>
    records.map((record, index) => ({
      ...record,
      intendedMs: record.sentMs - 5 * (index % 9),
      issuedMs: record.sentMs - (index % 4),
      attempt: index % 7 === 0 ? 2 : 1,
      phase: index % 6 === 0 ? "warm-up" : "measure",
    })),
  );

function shareOf(records: readonly LoadRecord[], overflow: ShareResult["overflow"]): ShareResult {
  return {
    ...makeShare(records),
    areaMs: 0,
    planned: 0,
    races: { count: 0, outOf: 0 },
    overflow,
    // Of a second that nobody looked at only requests in flight say whether it counts; records that were not kept do not order those.
    health: Array.from({ length: untilMs / 1000 + 1 }, (_, second) => ({
      second,
      loopUtilization: 0.1,
      loopDelayMaxMs: 1,
      runDelayMs: 0,
    })),
    toMs: 2 * untilMs,
    endMs: 2 * untilMs,
  };
}

/** The overflow that an agent reports, some at a time, and its counter after the transport. */
function carry(records: readonly LoadRecord[], worker: number, each: number): ShareResult["overflow"] {
  const lines: string[] = [];
  const counter = createOverflowCounter({ worker, startMs: 0, ledger: (json) => lines.push(json) });
  for (const [index, record] of records.entries()) {
    counter.count(record);
    if (index % each === each - 1) counter.flush();
  }
  counter.flush();
  const share = openShare({ startMs: 0, fromMs: 0 });
  for (const line of lines) takeOverflow(share, JSON.parse(line) as OverflowLine);
  // A reader of the lines knows the same as the agent itself, to the last bit.
  expect(share.overflow).toEqual(counter.overflow);
  return share.overflow;
}

function summarize(shares: readonly ShareResult[]): LoadProfileResult {
  return summarizeLoad({
    ...mergeShares(shares),
    profile,
    workload: "",
    random: createRandom(1),
    limits: null,
    calibration: null,
  });
}

/** Within a bucket: 1/1024 of the value, and half a thousandth for rounding. */
function expectNear(value: number | null | undefined, exact: number | null | undefined): void {
  if (typeof value !== "number" || typeof exact !== "number") expect(value).toBe(exact);
  else expect(Math.abs(value - exact)).toBeLessThanOrEqual(0.0011 + Math.abs(exact) / 1000);
}

/** Observations that a pause may explain. */
const explainable = ["buffered", "fake", "clumped"];

describe("records that are counted and not kept", () => {
  it("give the figures of all records, whoever counted them and whatever was kept: counts exactly, percentiles within 0.1 %", () => {
    fc.assert(
      fc.property(
        drawn,
        fc.integer({ min: 1, max: 4 }),
        fc.nat(9),
        fc.integer({ min: 1, max: 9 }),
        (records, agents, most, each) => {
          const own = Array.from({ length: agents }, (_, agent) => records.filter((_record, at) => at % agents === agent));
          const whole = summarize(own.map((share) => shareOf(share, null)));
          const shares = own.map((share, agent) => shareOf(share.slice(0, most), carry(share.slice(most), agent, each)));
          const merged = summarize(shares);
          const { counts, outcomes, notSent, rates, goodFraction } = whole;
          expect(merged).toMatchObject({ counts, outcomes, notSent, rates, goodFraction });
          expect(merged.counted).toEqual({
            kept: own.reduce((sum, { length }) => sum + Math.min(most, length), 0),
            counted: own.reduce((sum, { length }) => sum + Math.max(0, length - most), 0),
          });
          expect(sumTokens(shares)).toBe(sumTokens([shareOf(records, null)]));
          for (const [index, { verdict, observed }] of whole.gates.entries()) {
            const other = merged.gates[index];
            // An interval depends on the order as well, of which the records that are kept show a part: it may be too wide to decide.
            if (verdict === "inconclusive" || other?.verdict === "inconclusive") continue;
            expect(other?.verdict).toBe(verdict);
            if (observed !== null && verdict === "pass") expectNear(other?.observed, observed);
          }
          expect(merged.health.achievedOverAsked).toBe(whole.health.achievedOverAsked);
          expectNear(merged.health.dispatchDelayP99Ms, whole.health.dispatchDelayP99Ms);
          expectNear(merged.health.firstTokenIntervalP99Ms, whole.health.firstTokenIntervalP99Ms);
          expect(merged.series).toHaveLength(whole.series.length);
          for (const [index, second] of whole.series.entries()) {
            const { ttftP50, ttftP99, dispatchDelayP99, inFlight: _, ...exact } = second;
            expect(merged.series[index]).toMatchObject(exact);
            expectNear(merged.series[index]?.ttftP50, ttftP50);
            expectNear(merged.series[index]?.ttftP99, ttftP99);
            expectNear(merged.series[index]?.dispatchDelayP99, dispatchDelayP99);
          }
          expect(merged.distributions).toHaveLength(whole.distributions.filter(({ phase }) => phase === "whole").length);
          for (const one of merged.distributions) {
            const { metric, endpoint, outcome } = one;
            const exact = whole.distributions.find(
              (other) =>
                other.metric === metric && other.endpoint === endpoint && other.outcome === outcome && other.phase === "whole",
            )!;
            const { count, min, max, estimated } = exact;
            expect(one).toMatchObject({ count, min, max, estimated });
            expect(one.mean).toBeCloseTo(exact.mean!, 6);
            for (const [index, percentile] of exact.percentiles.entries()) {
              // Counts have lost the order, and with it what an interval depends on.
              expectNear(one.percentiles[index]?.value, percentile.value);
            }
            expect(one.histogram).toBe(exact.histogram);
          }
          const byShape = ({ observations }: LoadProfileResult) =>
            observations.filter(({ id }) => !["queued", "generated-whole", ...explainable].includes(id));
          expect(byShape(merged)).toEqual(byShape(whole));
          // Counts do not show what arrived meanwhile, so that no pause explains a stream that was not kept.
          for (const { id, count } of whole.observations.filter((one) => explainable.includes(one.id))) {
            expect(merged.observations.find((one) => one.id === id)?.count).toBeGreaterThanOrEqual(count);
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  it("go into the bucket of an HdrHistogram, whose values are at most a thousandth apart", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.integer({ min: 0, max: 1e12 }), fc.nat(5000)), { minLength: 1 }), (micros) => {
        const all = createSampleSet(0);
        const counted = createCountedValues();
        for (const each of micros) {
          all.add(each / 1000);
          countValue(counted, each / 1000);
          expect(bucketOf(each)).toBeLessThanOrEqual(each);
          expect(each - bucketOf(each)).toBeLessThanOrEqual(each / 1024);
        }
        const merged = createSampleSet();
        merged.merge(counted);
        expect(merged.histogram()).toBe(all.histogram());
        for (const k of [1, Math.ceil(micros.length / 2), micros.length])
          expect(merged.orderStatistic(k)).toBe(all.orderStatistic(k));
      }),
    );
  });

  it("are refused when a line was changed in form", () => {
    const lines: LedgerLine[] = [];
    const counter = createOverflowCounter({
      worker: 0,
      startMs: 0,
      ledger: (json) => void lines.push(JSON.parse(json) as LedgerLine),
    });
    for (const record of fc.sample(drawn, 1)[0]!) counter.count(record);
    counter.flush();
    const line = lines[0] as OverflowLine;
    const { lateness } = line;
    const changes: readonly Partial<OverflowLine>[] = [
      { records: -1 },
      { lastEndMs: "1" as unknown as number },
      { lateness: { ...lateness!, rows: 1e9 } },
      { lateness: { ...lateness!, min: 2, max: 1 } },
      { lateness: { ...lateness!, rows: 1, buckets: { all: 4097 }, counts: { all: 1 } } },
      { lateness: { ...lateness!, rows: 1, buckets: { all: 1 }, counts: { all: 0 } } },
      { totals: [["nothing" as "chat", line.totals[0]![1]]] },
      { seconds: [[1e9, line.seconds[0]![1]]] },
      { figures: [{ ...line.figures[0]!, metric: "<script>" as "ttft" }] },
    ];
    for (const change of changes) expect(() => unpackOverflow({ ...line, ...change })).toThrow(ColumnError);
    expect(unpackOverflow(line)).toEqual(counter.overflow);
  });
});
