import type { GateResult } from "../../../src/core/result/gate-result.ts";
import type { LoadProfileResult, LoadResult } from "../../../src/core/result/load-result.ts";
import { createRandom, type Random } from "../../../src/core/random.ts";
import type { LoadRecord, RecordContext } from "../../../src/load/samples/load-record.ts";
import { givenUpRecord, notSentRecord } from "../../../src/load/samples/unanswered-record.ts";
import { mergeShares } from "../../../src/load/ledger/merge-shares.ts";
import { context } from "../load/exchange-fixture.ts";
import { makeLoadResult, makeProfile, makeShare } from "../results/make-load-result.ts";

/** By seed: a minute of records is summarized once, and every sample of a worker holds it. */
const made = new Map<number, LoadResult>();

export function sampleLoad(seed: number): LoadResult {
  const load = made.get(seed) ?? makeLoad(createRandom(seed).fork("load"));
  made.set(seed, load);
  return load;
}

function makeLoad(random: Random): LoadResult {
  const steady = steadyProfile(random.fork("steady"));
  return {
    profiles: [steady, sweepProfile(steady)],
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

/** A minute of streams at 20 a second, slower for some seconds of it; some were refused, failed or never left. */
function steadyProfile(random: Random): LoadProfileResult {
  const records = Array.from({ length: 1200 }, (_, index) => steadyRecord(random, index)).sort((a, b) => a.endMs - b.endMs);
  const health = Array.from({ length: 60 }, (_, second) => ({
    second,
    loopUtilization: isSlow(second) ? 0.31 : 0.16,
    loopDelayMaxMs: isSlow(second) ? 14 : 5,
    runDelayMs: 1,
  }));
  const profile = { ...makeProfile(20, 60, []), id: "chat-stream-steady", title: "Streamed chat at a steady rate" };
  const share = { ...makeShare(records), toMs: 60_000, endMs: 60_000, health };
  const result = makeLoadResult(profile, records, { ...mergeShares([share]), random });
  return {
    ...result,
    startedMs: 372_000,
    observations: [
      ...result.observations,
      { id: "clumped", message: "Several events arrived in one read; gaps inside are bounds.", count: 210, outOf: 73_800 },
    ],
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
    gates: gates(),
  };
}

function isSlow(second: number): boolean {
  return second >= 34 && second <= 38;
}

function steadyRecord(random: Random, index: number): LoadRecord {
  const intendedMs = 50 * index;
  const issuedMs = intendedMs + 1.8 * random.next();
  const given = { ...context, label: "chat stream", intendedMs, issuedMs };
  if (index % 100 === 99) return notSentRecord(given, index % 400 === 399 ? "max-in-flight" : "retry-after");
  if (index % 100 === 50) return { ...unanswered(given, issuedMs + 9 + 6 * random.next()), outcome: "rate-limited", status: 429 };
  if (index % 240 === 30) return { ...unanswered(given, issuedMs + 30), outcome: "server-error", status: 503 };
  const firstTokenMs = issuedMs + logNormal(random, Math.log(182), 0.42);
  const slowed = isSlow(Math.floor(intendedMs / 1000)) ? 2.6 : 1;
  const groups = [{ atMs: firstTokenMs, events: 1, tokens: null }];
  for (let event = 1; event < 12; event += 1) {
    groups.push({ ...groups[0]!, atMs: groups[event - 1]!.atMs + slowed * logNormal(random, Math.log(64), 0.5) });
  }
  const answeredMs = groups.at(-1)!.atMs;
  const gaps = groups.slice(1).map(({ atMs }, at) => atMs - groups[at]!.atMs);
  return {
    ...unanswered(given, answeredMs + 4),
    outcome: "ok",
    status: 200,
    good: answeredMs - intendedMs < 1500,
    firstByteMs: issuedMs + 0.62 * (firstTokenMs - issuedMs),
    firstEventMs: issuedMs + 0.66 * (firstTokenMs - issuedMs),
    firstTokenMs,
    firstOutputMs: firstTokenMs + 6,
    answeredMs,
    outputTokens: 64,
    contentEvents: groups.length,
    arrivals: groups.length,
    groups,
    longestGapMs: Math.max(...gaps),
    tpotMs: (answeredMs - firstTokenMs) / 63,
    stream: { done: index % 300 !== 3, finished: true, broken: false, continuousUsage: false },
    serverTimings: {
      source: "server-timing",
      queueMs: 0,
      prefillMs: firstTokenMs - issuedMs - 2,
      decodeMs: 1,
      decodedTokens: 64,
    },
  };
}

function unanswered(given: RecordContext, endMs: number): LoadRecord {
  return {
    ...givenUpRecord(given, endMs),
    seq: 700 + Math.round(given.intendedMs / 50),
    headersMs: endMs,
    reusedConnection: true,
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

function sweepProfile(steady: LoadProfileResult): LoadProfileResult {
  const offered = [5, 10, 20, 40, 60, 80, 100, 120];
  return {
    ...steady,
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

function logNormal(random: Random, mu: number, sigma: number): number {
  const normal = Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
  return Math.exp(mu + sigma * normal);
}
