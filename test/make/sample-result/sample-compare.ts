import type {
  CompareResult,
  EstimateWithInterval,
  MetricComparison,
  QuantileShift,
} from "../../../src/core/result/compare-result.ts";

function estimate(value: number, spread: number, count = 1_150): EstimateWithInterval {
  return { value, low: value * (1 - spread), high: value * (1 + spread), count };
}

function metric(
  name: MetricComparison["metric"],
  statistic: string,
  base: number,
  next: number,
  verdict: MetricComparison["verdict"],
): MetricComparison {
  const change = (next - base) / base;
  const spread = statistic === "p99" ? 0.09 : 0.03;
  return {
    profile: "chat-stream-steady",
    metric: name,
    endpoint: "chat",
    statistic,
    unit: "ms",
    better: "lower",
    base: estimate(base, spread),
    next: estimate(next, spread),
    difference: { value: next - base, low: next - base - base * spread, high: next - base + base * spread, count: 1_150 },
    relative: { value: change, low: change - spread * 1.4, high: change + spread * 1.4, count: 1_150 },
    verdict,
    minimumDetectableEffect: spread * 1.5,
    blocks: [12, 12],
    reason: null,
  };
}

function shiftAt(percentile: number, base: number, next: number): QuantileShift["quantiles"][number] {
  const value = (next - base) / base;
  return { percentile, base, next, relative: { value, low: value - 0.04, high: value + 0.05 } };
}

/** Two runs of one target: first tokens got slower, one requirement broke, one was mended. */
export function sampleCompare(): CompareResult {
  const run = { target: "staging", baseUrl: "https://api.staging.example.com", toolVersion: "0.1.0", seed: 42 };
  return {
    schemaVersion: "1.0",
    base: { ...run, runId: "2026-11-20T05-10-01Z-staging", startedAt: "2026-11-20T05:10:01.000Z" },
    next: { ...run, runId: "2026-11-21T05-10-03Z-staging", startedAt: "2026-11-21T05:10:03.000Z" },
    comparability: {
      comparable: true,
      checks: [
        { id: "same-spec", outcome: "same", blocking: true, message: "Both runs judge the same text." },
        { id: "same-workload", outcome: "same", blocking: true, message: "Profiles, arrivals and seeds agree." },
        { id: "both-valid", outcome: "same", blocking: true, message: "Both generators were fit." },
        { id: "same-runtime", outcome: "differs", blocking: false, message: "Node v20.19.0 against v20.20.2." },
        { id: "same-server", outcome: "unknown", blocking: false, message: "The target does not name its version." },
      ],
    },
    method: {
      design: "unpaired",
      name: "block bootstrap, percentile interval, blocks of 5 s",
      resamples: 2_000,
      seed: 42,
      confidence: 0.95,
      minimumEffect: 0.05,
    },
    metrics: [
      metric("ttft", "p99", 483, 655, "worse"),
      metric("ttft", "p95", 371, 452, "worse"),
      metric("ttft", "p90", 309, 352, "worse"),
      metric("ttft", "p50", 186, 189, "no detectable change"),
      metric("user-latency", "p50", 957, 949, "no detectable change"),
      metric("user-latency", "p95", 2_325, 2_020, "better"),
      metric("user-latency", "p99", 4_136, 3_980, "too few"),
    ],
    shifts: [
      {
        profile: "chat-stream-steady",
        metric: "ttft",
        endpoint: "chat",
        quantiles: [
          shiftAt(10, 141, 142),
          shiftAt(50, 186, 189),
          shiftAt(90, 309, 352),
          shiftAt(95, 371, 452),
          shiftAt(99, 483, 655),
        ],
      },
    ],
    notCompared: [{ profile: "chat-sweep", metric: "goodput", reason: "the base run was not valid" }],
    conformance: {
      broken: [{ id: "CHAT-014", base: "pass", next: "fail", message: "temperature 2.1 is accepted with 200" }],
      fixed: [{ id: "IMG-002", base: "fail", next: "pass", message: null }],
      changed: [{ id: "USE-005", base: "pass", next: "inconclusive", message: "the window held one bucket only" }],
      unchanged: 192,
    },
    limits: {
      broken: [{ id: "requests-models.limits.over-admission", base: "pass", next: "fail", message: "63 of 60" }],
      fixed: [],
      changed: [],
      unchanged: 8,
    },
    lostCoverage: [],
    gates: { broken: [], fixed: [], changed: [], unchanged: 5 },
    verdict: "worse",
    reason: "p99 of TTFT rose by 35.6 %, and 2 verdicts newly fail.",
    exitCode: 1,
  };
}
