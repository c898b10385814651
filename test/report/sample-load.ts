import { build, encodeIntoCompressedBase64 } from "hdr-histogram-js";
import type { GateResult } from "../../src/core/result/gate-result.ts";
import type { LoadDistribution, LoadMetric, LoadSecond, StreamSample } from "../../src/core/result/load-figures.ts";
import type { OutcomeClass } from "../../src/core/result/load-outcome.ts";
import type { LoadProfileResult, LoadResult } from "../../src/core/result/load-result.ts";
import type { Random } from "../../src/core/random.ts";

export function sampleLoad(random: Random): LoadResult {
  return {
    profiles: [steadyProfile(random.fork("steady")), sweepProfile(random.fork("sweep"))],
    calibration: {
      ttftErrorMs: { p50: 0.08, p99: 0.61, samples: 400 },
      eventErrorMs: { p50: 0.06, p99: 0.48, samples: 6400 },
      interTokenErrorMs: { p50: 0.02, p99: 0.31, samples: 6000 },
      intervalCoverage: 0.998,
      upperBoundHeld: 1,
      ceiling: { requestsPerSecond: 2_400, eventsPerSecond: 31_000, streams: 900 },
      durationMs: 2_900,
    },
  };
}

/** When parts of an answer came, by the time of its first text. */
const firstParts = [
  ["ttfb", 0.62],
  ["ttfe", 0.66],
  ["ttft", 1],
  ["ttfo", 1.04],
] as const;

const gaps = [
  ["inter-chunk", 14, 0.5],
  ["inter-token", 12, 0.5],
  ["longest-stall", 64, 0.6],
] as const;

function steadyProfile(random: Random): LoadProfileResult {
  const seconds = 60;
  const rows = Array.from({ length: 26 }, (_, row) => 20 * 10 ** (row / 10));
  const columns = 60;
  const cells: number[][] = [];
  const userLatencies: number[] = [];
  for (let column = 0; column < columns; column += 1) {
    const counts = rows.map(() => 0);
    const slow = column >= 34 && column <= 38 ? 2.6 : 1;
    for (let index = 0; index < 20; index += 1) {
      const latency = logNormal(random, Math.log(900 * slow), 0.38);
      userLatencies.push(latency);
      const row = rows.findIndex((edge) => latency <= edge);
      const at = row === -1 ? rows.length - 1 : row;
      counts[at] = (counts[at] ?? 0) + 1;
    }
    cells.push(counts);
  }
  const serviceLatencies = userLatencies.map((latency, index) => (index > 680 && index < 780 ? latency * 0.42 : latency * 0.97));
  const ttft = userLatencies.map(() => logNormal(random, Math.log(182), 0.42));
  const series: LoadSecond[] = Array.from({ length: seconds }, (_, second) => {
    const slow = second >= 34 && second <= 38;
    const limited = second % 15 === 14 ? 3 : 0;
    return {
      second,
      offered: 20,
      sent: slow ? 17 : 20,
      ok: slow ? 14 : 20 - limited,
      limited,
      failed: slow ? 1 : 0,
      notSent: slow ? 3 : 0,
      inFlight: slow ? 46 : 19 + Math.round(random.next() * 4),
      ttftP50: (slow ? 410 : 176) + random.next() * 14,
      ttftP99: null,
      ttftMax: (slow ? 1_350 : 520) + random.next() * 120,
      ttftCount: slow ? 14 : 20 - limited,
      dispatchDelayP99: null,
      dispatchDelayMax: slow ? 3.1 : 0.8 + random.next() * 0.4,
      loopDelayMaxMs: slow ? 14 : 4 + random.next() * 2,
      loopUtilization: slow ? 0.31 : 0.14 + random.next() * 0.04,
      tainted: false,
    };
  });
  return {
    id: "chat-stream-steady",
    title: "Streamed chat at a steady rate",
    arrivals: "poisson 20/s for 60 s",
    workload: "chat stream, 220 prompt tokens, 64 completion tokens",
    engine: "assay",
    startedMs: 372_000,
    durationMs: 60_000,
    warmUpMs: 5_000,
    counts: { planned: 1200, sent: 1188, completed: 1171, retried: 0 },
    outcomes: { ok: 1154, "rate-limited": 12, "server-error": 5, "not-sent": 12 },
    notSent: { "retry-after": 9, "max-in-flight": 3 },
    rates: { offered: 20, achieved: 19.8, ok: 19.2, outputTokens: 1_231, goodput: 18.7 },
    goodFraction: 0.935,
    distributions: [
      distribution("user-latency", "ok", userLatencies),
      distribution("service-latency", "ok", serviceLatencies),
      ...firstParts.map(([metric, share]) => {
        const values = ttft.map((value) => value * share);
        return distribution(metric, "ok", values);
      }),
      ...gaps.map(([metric, medianMs, sigma]) => {
        const values = ttft.map(() => logNormal(random, Math.log(medianMs), sigma));
        return distribution(metric, "ok", values);
      }),
      distribution(
        "dispatch-delay",
        "ok",
        ttft.map(() => random.next() * 1.8),
      ),
      distribution(
        "user-latency",
        "rate-limited",
        Array.from({ length: 12 }, () => 9 + random.next() * 6),
      ),
    ],
    series,
    heatmap: { columnMs: 1000, rowsMs: rows, cells },
    streams: Array.from({ length: 24 }, (_, index) => stream(random, index)),
    observations: [
      {
        id: "clumped",
        message: "Several events arrived in one network read; gaps inside a clump are bounds.",
        count: 210,
        outOf: 73_800,
      },
      {
        id: "early-role",
        message: "The first event held a role and no text; TTFT counts the first text.",
        count: 1154,
        outOf: 1154,
      },
    ],
    serverTruth: {
      source: "server-timing",
      samples: 1154,
      firstTokenDifferenceMs: { p50: 1.8, p99: 6.4 },
      decodeDifferenceMs: { p50: 0.4, p99: 3.1 },
      impossible: 0,
    },
    crossCheck: {
      tool: "autocannon",
      connections: 20,
      seconds: 5,
      requestsPerSecond: 812,
      meanLatencyMs: 24,
      errors: 0,
      non2xx: 0,
      ourRequestsPerSecond: 690,
      ratio: 0.85,
      problems: [],
    },
    usageCheck: { ours: 344_100, reported: 344_100, outcome: "agrees", message: "the report grew by what the answers stated" },
    steadyState: { fromMs: 6_000, toMs: 60_000, method: "MSER-5" },
    steps: [],
    knee: null,
    gates: gates(),
    blocks: null,
    health: {
      loopUtilization: 0.16,
      loopDelayMaxMs: 14,
      dispatchDelayP99Ms: 1.9,
      achievedOverAsked: 0.99,
      littleDiscrepancy: 0.004,
      runDelayMs: 38,
      taintedSeconds: 0,
    },
    validity: { valid: true, reasons: [] },
  };
}

function gates(): readonly GateResult[] {
  return [
    gate("ttft-p95", "ttft.p95 < 800ms", 800, "ms", [402, 371, 448, 0.4975]),
    gate("user-p99", "user-latency.p99 < 2500ms", 2500, "ms", [3_120, 2_840, 3_660, -0.248], {
      verdict: "fail",
      reason: "the whole interval lies above the bound",
    }),
    gate("itl-p999", "inter-token.p99.9 < 120ms", 120, "ms", [null, null, null, null], {
      verdict: "inconclusive",
      reason: "9 of 2,000 samples: too few to judge",
    }),
    gate("errors", "error-rate < 1%", 0.01, "fraction", [0.0042, 0.0014, 0.0098, 0.58]),
    gate("goodput", "goodput > 18/s", 18, "/s", [18.7, 18.1, 19.2, 0.039]),
  ];
}

type Estimate = readonly [observed: number, low: number, high: number, margin: number] | readonly [null, null, null, null];

function gate(
  id: string,
  expression: string,
  bound: number,
  unit: GateResult["unit"],
  [observed, low, high, margin]: Estimate,
  judged: Pick<GateResult, "verdict" | "reason"> = { verdict: "pass", reason: null },
): GateResult {
  return { id, expression, bound, unit, observed, low, high, margin, ...judged };
}

function sweepProfile(random: Random): LoadProfileResult {
  const offered = [5, 10, 20, 40, 60, 80, 100, 120];
  return {
    ...steadyProfile(random),
    id: "chat-sweep",
    title: "Goodput against offered load",
    arrivals: "steps 5/s to 120/s, 20 s each",
    startedMs: 440_000,
    durationMs: 160_000,
    distributions: [],
    series: [],
    heatmap: null,
    streams: [],
    observations: [],
    steadyState: null,
    steps: offered.map((rate) => ({
      offered: rate,
      achieved: rate,
      goodput: rate <= 60 ? rate * 0.99 : Math.max(20, 60 - (rate - 60) * 0.6),
      userLatencyP95: rate <= 60 ? 900 + rate * 6 : 1_400 + (rate - 60) * 90,
      ttftP95: rate <= 60 ? 260 + rate * 2 : 400 + (rate - 60) * 40,
      verdict: rate <= 60 ? "pass" : "fail",
    })),
    knee: { offered: 60, goodput: 59.4, reason: "goodput stops growing and p95 doubles at the next step" },
    gates: [],
    validity: { valid: false, reasons: ["the two highest steps kept the event loop 86 % busy"] },
  };
}

function stream(random: Random, index: number): StreamSample {
  const slow = index < 12;
  const intendedMs = 372_000 + Math.floor(random.next() * 58_000);
  const sentMs = intendedMs + random.next() * 2;
  const headersMs = sentMs + 60 + random.next() * 80;
  const firstTokenMs = headersMs + (slow ? 300 + random.next() * 900 : 60 + random.next() * 90);
  const eventsMs: number[] = [];
  let atMs = firstTokenMs;
  for (let event = 0; event < 64; event += 1) {
    eventsMs.push(atMs);
    atMs += 8 + random.next() * 10 + (slow && event === 30 ? 700 + random.next() * 500 : 0);
  }
  return {
    seq: 700 + index,
    why: slow ? "slowest" : "random",
    intendedMs,
    sentMs,
    headersMs,
    firstTokenMs,
    eventsMs,
    endMs: atMs + 4,
    done: index !== 3,
  };
}

function distribution(metric: LoadMetric, outcome: OutcomeClass, values: readonly number[]): LoadDistribution {
  const sorted = [...values].sort((a, b) => a - b);
  const histogram = build({ numberOfSignificantValueDigits: 3, highestTrackableValue: 3_600_000_000 });
  for (const value of values) histogram.recordValue(Math.max(1, Math.round(value * 1000)));
  const at = (fraction: number): number =>
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.floor(fraction * sorted.length)))] ?? 0;
  return {
    metric,
    endpoint: "chat",
    outcome,
    phase: "whole",
    unit: "ms",
    estimated: metric === "inter-token",
    count: values.length,
    min: sorted[0] ?? null,
    mean: values.reduce((sum, value) => sum + value, 0) / values.length,
    max: sorted.at(-1) ?? null,
    percentiles: [50, 75, 90, 95, 99, 99.9, 99.99].map((percentile) => {
      const fraction = percentile / 100;
      const floor = Math.ceil(10 / (1 - fraction));
      const enough = values.length >= floor;
      const spread = 1.96 * Math.sqrt((fraction * (1 - fraction)) / values.length);
      return {
        percentile,
        value: enough ? at(fraction) : null,
        low: enough ? at(fraction - spread) : null,
        high: enough ? at(Math.min(0.99999, fraction + spread)) : null,
        needed: Math.max(0, floor - values.length),
      };
    }),
    histogram: encodeIntoCompressedBase64(histogram),
  };
}

function logNormal(random: Random, mu: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.exp(mu + sigma * normal);
}
