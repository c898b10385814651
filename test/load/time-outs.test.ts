import { describe, expect, it } from "vitest";
import { createSampleSet } from "../../src/load/statistics/sample-set.ts";
import { estimateMean } from "../../src/load/statistics/mean-interval.ts";
import { estimatePercentile } from "../../src/load/statistics/percentile-estimate.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { context, delta, exchangeOf, streamed } from "../make/load/exchange-fixture.ts";
import { makeExchange } from "../make/exchanges/make-exchange.ts";
import { makeLoadResult, makeProfile } from "../make/results/make-load-result.ts";
import { distributionOf, runAgainst } from "../make/load/run-against.ts";

const asked = makeExchange({ endpoint: "chat", sent: { model: "m", stream: true, messages: [] } }).request;

/** A request each 50 ms; the instants of its events count from its send, `lost` ones are given up after three seconds. */
function record(index: number, events: readonly number[], { lost = false, slo = {} } = {}): LoadRecord {
  const sentMs = 50 * index;
  const head = events.length > 0 ? sentMs + 10 : null;
  const endMs = lost ? sentMs + 3000 : sentMs + (events.at(-1) ?? 0) + 1;
  const stream = streamed(events.map((at) => delta(sentMs + at, { content: "a" }, {}, sentMs + at))).response;
  const bound = { until: events.length > 0 ? "end" : "head", ms: 3000 } as const;
  const exchange = exchangeOf({
    request: asked,
    response: events.length > 0 ? stream : null,
    failure: lost ? { kind: events.length > 0 ? "stream-timeout" : "timeout", message: "given up", bound } : null,
    timing: { intendedMs: sentMs, sentMs, headersMs: head, firstByteMs: head, endMs, wallMs: 0, lateMs: 0 },
  });
  const limits = { ttftMs: null, tpotMs: null, userLatencyMs: null, ...slo };
  return measureExchange(exchange, { ...context, intendedMs: sentMs, issuedMs: sentMs, slo: limits }).record;
}

function judge(records: readonly LoadRecord[], gates: readonly string[]): LoadProfileResult {
  const profile = { ...makeProfile(20, 15, gates), timeoutSeconds: 3 };
  // As they ended: the lost ones three seconds after all that were sent with them.
  return makeLoadResult(
    profile,
    records.toSorted((a, b) => a.endMs - b.endMs),
  );
}

const verdictsOf = (result: LoadProfileResult): readonly string[] => result.gates.map(({ verdict }) => verdict);

describe("requests that were not finished within the time-out of the profile", () => {
  it("fail a gate on latency that those which came back would meet", () => {
    const slo = { ttftMs: 500, userLatencyMs: 5000 };
    const records = Array.from({ length: 300 }, (_, index) =>
      index % 5 < 2 ? record(index, [], { lost: true, slo }) : record(index, [100 + (index % 7), 150], { slo }),
    );
    const open = ["ttft.p95 < 30s", "errors == 0", "error_rate < 30%", "ttft.mean < 30s", "ttft.max < 30s"];
    const missed = ["ttft.p95 < 2s", "timeout_rate < 1%", "goodput > 0.9", "observations.timed-out == 0", "ttft.max < 2s"];
    const met = ["ttft.p50 < 2s", "error_rate < 60%", "ttft.p95 > 1s"];
    const result = judge(records, [...open, ...missed, ...met]);
    expect(result.outcomes).toEqual({ ok: 180, "timed-out": 120 });
    expect(verdictsOf(result)).toEqual([
      ...open.map(() => "inconclusive"),
      ...missed.map(() => "fail"),
      ...met.map(() => "pass"),
    ]);
    expect(result.gates[0]).toMatchObject({
      doubt: "given-up",
      observed: 3000,
      atLeast: true,
      reason: "120 of 300 were not finished within 3 s, the time-out of this profile; a longer timeoutSeconds would decide it",
    });
    expect(result.observations).toContainEqual(expect.objectContaining({ id: "timed-out", count: 120, outOf: 300 }));
    const ttft = distributionOf(result, "ttft");
    expect(ttft).toMatchObject({ count: 300, givenUp: 120, max: null, mean: null });
    const p95 = ttft.percentiles.find(({ percentile }) => percentile === 95);
    expect(p95).toMatchObject({ value: null, atLeast: 3000, high: null, needed: 0 });
  });

  it("accuse no lawful stream that is longer than the time-out", () => {
    const slo = { ttftMs: 500, tpotMs: 2000, userLatencyMs: 5000 };
    const records = Array.from({ length: 300 }, (_, index) => record(index, [100, 1100, 2100], { lost: true, slo }));
    const gates = [
      "ttft.p95 < 0.8s",
      "tpot.p50 < 2s",
      "user_latency.p50 < 30s",
      "goodput > 0.9",
      "errors == 0",
      "user_latency.p50 < 1s",
    ];
    const result = judge(records, gates);
    expect(verdictsOf(result)).toEqual(["pass", "inconclusive", "inconclusive", "inconclusive", "inconclusive", "fail"]);
    expect([result.goodFraction, result.goodFractionMost]).toEqual([0, 1]);
  });

  it("are counted apart from errors, and name their bound", async () => {
    const result = await runAgainst(
      ({ number }, response) => {
        if (number % 5 > 1) response.end("{}");
      },
      { timeoutSeconds: 1, abort: { errorRate: 1 }, gates: ["errors == 0", "error_rate < 1%"] },
    );
    expect(result.outcomes["transport-error"] ?? 0).toBe(0);
    expect(result.outcomes["timed-out"]).toBeGreaterThanOrEqual(16);
    expect(verdictsOf(result)).toEqual(["inconclusive", "inconclusive"]);
    const message = "not finished within 1 s, the time-out of this profile; percentiles rank them above all that ended";
    expect(result.observations).toContainEqual(expect.objectContaining({ id: "timed-out", message }));
  });
});

describe("a set of values some of which nobody waited for", () => {
  const set = (known: readonly number[], atLeast: readonly number[], limit?: number): ReturnType<typeof createSampleSet> => {
    const samples = createSampleSet(limit);
    for (const value of known) samples.add(value);
    for (const value of atLeast) samples.addAtLeast(value);
    return samples;
  };
  const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

  it("ranks them at their least for lower ends and above all others for upper ends", () => {
    for (const limit of [undefined, 10]) {
      const samples = set(hundred, [50.5, 50.5], limit);
      expect([samples.count, samples.open]).toEqual([102, 2]);
      expect(Math.round(samples.orderStatistic(53))).toBe(51);
      expect(Math.round(samples.mostOrderStatistic(53))).toBe(53);
      expect(samples.mostOrderStatistic(101)).toBe(Infinity);
      expect(samples.orderStatistic(102)).toBe(100);
    }
  });

  it("states percentiles below them as they are, and of those among them the least alone", () => {
    const samples = set(hundred, [500, 500, 500, 500, 500, 500, 500, 500]);
    expect(estimatePercentile(samples, 50)).toMatchObject({ value: 54, needed: 0 });
    const p95 = estimatePercentile(samples, 95);
    expect(p95).toMatchObject({ value: null, atLeast: 500, high: null, needed: 0 });
    expect(p95.bounds.most).toBe(Infinity);
    expect(estimateMean(samples)).toMatchObject({ value: null, high: null });
  });
});
