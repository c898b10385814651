import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Granularity, UsageReport } from "../../../src/reference/engine/usage/usage-report.ts";
import { bucketsOf, bucketStartMs, nextBucketMs } from "../../../src/reference/engine/usage/bucket-calendar.ts";
import { createBench, leaseOf, modelsWork, plainWork, startMs, type EngineBench } from "./engine-bench.ts";
import { runsOf } from "../../make/runner/sample.ts";

const granularities: readonly Granularity[] = ["hour", "day", "month"];
const hourMs = 3_600_000;

interface Billed {
  readonly atMs: number;
  readonly prompt: number;
  readonly completion: number;
  readonly micros: number;
}

/** Sends requests of made-up size, pausing in between. */
async function bill(
  bench: EngineBench,
  history: readonly { readonly pauseMs: number; readonly prompt: number; readonly completion: number }[],
): Promise<readonly Billed[]> {
  const billed: Billed[] = [];
  for (const { pauseMs, prompt, completion } of history) {
    await bench.clock.advance(pauseMs);
    const micros = 2 * prompt + 8 * completion;
    const atMs = bench.clock.wallMs();
    const ticket = leaseOf(
      await bench.send("spendA", { promptTokens: prompt, maxCompletionTokens: completion, maxCostMicros: micros }, false),
    );
    ticket.settle({ ended: "completed", promptTokens: prompt, completionTokens: completion, costMicros: micros });
    billed.push({ atMs, prompt, completion, micros });
  }
  return billed;
}

function report(bench: EngineBench, fromMs: number, toMs: number, granularity?: Granularity): UsageReport {
  return bench.engine.usageReport(bench.key("spendB"), { fromMs, toMs, granularity });
}

const history = fc.array(
  fc.record({
    pauseMs: fc.integer({ min: 0, max: 40 * 24 * hourMs }),
    prompt: fc.integer({ min: 1, max: 500 }),
    completion: fc.integer({ min: 0, max: 500 }),
  }),
  { minLength: 1, maxLength: 12 },
);

describe("usage report", () => {
  it("sums exactly what was billed in a half-open window, per bucket and in all", async () => {
    await fc.assert(
      fc.asyncProperty(
        history,
        fc.constantFrom(...granularities),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (requests, granularity, a, b) => {
          const bench = createBench();
          const billed = await bill(bench, requests);
          const spanMs = bench.clock.wallMs() - startMs + 1;
          const fromMs = startMs + Math.floor(Math.min(a, b) * spanMs);
          const toMs = startMs + Math.ceil(Math.max(a, b) * spanMs);
          const inside = billed.filter(({ atMs }) => atMs >= fromMs && atMs < toMs);
          const { data, aggregate } = report(bench, fromMs, toMs, granularity);
          expect(aggregate.total_tokens).toBe(inside.reduce((sum, { prompt, completion }) => sum + prompt + completion, 0));
          expect(aggregate.total_cost_usd).toBe(inside.reduce((sum, { micros }) => sum + micros, 0) / 1e6);
          expect(data.reduce((sum, bucket) => sum + bucket.total_tokens, 0)).toBe(aggregate.total_tokens);
          expect(data.reduce((sum, bucket) => sum + Math.round(Number(bucket.cost_usd) * 1e6), 0)).toBe(
            Math.round(aggregate.total_cost_usd * 1e6),
          );
          for (const bucket of data) {
            const bucketMs = Date.parse(String(bucket.timestamp));
            expect(bucketStartMs(bucketMs, granularity)).toBe(bucketMs);
            expect(bucketMs).toBeLessThan(toMs);
            expect(nextBucketMs(bucketMs, granularity)).toBeGreaterThan(fromMs);
            expect(bucket.total_tokens).toBe(bucket.prompt_tokens + bucket.completion_tokens);
            const own = inside.filter(({ atMs }) => bucketStartMs(atMs, granularity) === bucketMs);
            expect(bucket.prompt_tokens).toBe(own.reduce((sum, { prompt }) => sum + prompt, 0));
          }
          const starts = data.map(({ timestamp }) => String(timestamp));
          expect(starts).toEqual([...new Set(starts)].toSorted());
        },
      ),
      { numRuns: runsOf(60) },
    );
  });

  it("adds up over adjacent windows and does not depend on the granularity", async () => {
    const bench = createBench();
    const billed = await bill(bench, [
      { pauseMs: 0, prompt: 1, completion: 10 },
      { pauseMs: 1, prompt: 2, completion: 20 },
      { pauseMs: hourMs - 1, prompt: 3, completion: 30 },
    ]);
    const endMs = bench.clock.wallMs() + 1;
    for (const granularity of granularities) {
      for (const { atMs } of billed) {
        const left = report(bench, startMs, atMs, granularity).aggregate.total_tokens;
        const right = report(bench, atMs, endMs, granularity).aggregate.total_tokens;
        expect(left + right).toBe(66);
      }
    }
  });

  it("lists empty buckets, groups by day unless asked otherwise, and is empty for an empty window", () => {
    const bench = createBench();
    expect(report(bench, startMs, startMs + 3 * hourMs, "hour").data.map(({ timestamp }) => timestamp)).toEqual([
      "2026-11-21T12:00:00Z",
      "2026-11-21T13:00:00Z",
      "2026-11-21T14:00:00Z",
    ]);
    expect(report(bench, startMs, startMs + 24 * hourMs).data.map(({ timestamp }) => timestamp)).toEqual([
      "2026-11-21T00:00:00Z",
      "2026-11-22T00:00:00Z",
    ]);
    expect(report(bench, startMs, startMs + 1, "month").data.map(({ timestamp }) => timestamp)).toEqual(["2026-11-01T00:00:00Z"]);
    for (const toMs of [startMs, startMs - 1]) {
      expect(report(bench, startMs, toMs)).toEqual({
        object: "list",
        data: [],
        aggregate: { total_tokens: 0, total_cost_usd: 0 },
      });
    }
  });

  it("covers the account: streams, aborted streams, every key; and no other account", async () => {
    const bench = createBench();
    const stream = leaseOf(await bench.send("spendA", { streaming: true }, false));
    stream.settle({ ended: "aborted", promptTokens: 10, completionTokens: 3, costMicros: 44 });
    await bench.send("spendB", { streaming: true });
    await bench.send("spendB", modelsWork);
    const totals = report(bench, startMs, startMs + 1).aggregate;
    expect(totals).toEqual({ total_tokens: 43, total_cost_usd: (44 + plainWork.maxCostMicros) / 1e6 });
    expect(bench.engine.usageReport(bench.key("primary"), { fromMs: startMs, toMs: startMs + 1 }).aggregate.total_tokens).toBe(0);
  });

  it("bounds the list of a huge window without losing usage", async () => {
    const bench = createBench();
    await bench.send("spendA");
    const all = report(bench, 0, Date.UTC(9999, 0), "hour");
    expect(all.data).toHaveLength(1);
    expect(all.aggregate.total_tokens).toBe(30);
  });
});

describe("bucket calendar", () => {
  it("crosses the ends of months and years", () => {
    const iso = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
    const months = bucketsOf(Date.UTC(2026, 10, 30), Date.UTC(2027, 1, 1, 0, 0, 0, 1), "month", 100);
    expect(months.map(iso)).toEqual(["2026-11-01", "2026-12-01", "2027-01-01", "2027-02-01"]);
    expect(bucketsOf(Date.UTC(2028, 1, 28), Date.UTC(2028, 2, 2), "day", 100).map(iso)).toEqual([
      "2028-02-28",
      "2028-02-29",
      "2028-03-01",
    ]);
    expect(bucketsOf(0, 10 * hourMs, "hour", 9)).toEqual([]);
  });
});
