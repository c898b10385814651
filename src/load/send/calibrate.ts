import { setMaxListeners } from "node:events";
import { readFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import type { Clock } from "../../core/clock.ts";
import { endpoints } from "../../core/exchange/endpoint.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { CalibrationResult, ErrorSpread } from "../../core/result/generator-health.ts";
import type { Manifest } from "../../core/manifest.ts";
import { createRandom } from "../../core/random.ts";
import { tryJson, isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import { monotonicOriginMs } from "../../wire/clock/monotonic-origin.ts";
import { createWire, type Wire } from "../../wire/client/wire.ts";
import { arrivalTimes, constantRate, unitGaps } from "../arrivals/arrival-times.ts";
import { createWorkerPacer } from "../send/pacer.ts";
import { loadKeyName } from "../profile/load-key-name.ts";
import { instrumentDoubts } from "../gates/doubt-instrument.ts";
import { reportedPercentile } from "../statistics/percentile-estimate.ts";

export interface CalibrationInput {
  /** Manifest of a gauge (`startGauge`): nothing else can say the true instants. */
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Length of the accuracy part; by default long enough that there are first tokens for a p95. */
  readonly seconds?: number;
}

const accuracySeconds = 1.5;
/** The first part compiles the code. */
const [ceilingWarmUpSeconds, ceilingSeconds] = [0.04, 0.1];
/** How long a calibration takes. */
export const calibrationMs: number = 1000 * (accuracySeconds + ceilingWarmUpSeconds + ceilingSeconds);

const streamsPerSecond = 60;
const tokensPerStream = 12;
/** A gauge that lost its processor within a write does not know when the bytes left. */
const longestWriteMs = 0.5;
/** Between the return of a write and the arrival of its bytes at this process, and for the rounding of stamps and clocks. */
const [arrivalMs, roundingMs] = [0.1, 0.002];

/**
 * Measures the error of the client that sends load, on this machine: a gauge writes CLOCK_MONOTONIC nanoseconds into each event, and
 * our clock is the same. How late the gauge itself is does not matter, as nothing counts but what it wrote when. A request is stamped
 * in the call that writes it, so that the error of a first token is that of its arrival.
 * Returns null when the signal ended it. Throws an error where no event was of use: the service does not stamp them, or it lost its
 * processor in the midst of each.
 */
export async function calibrate(input: CalibrationInput): Promise<CalibrationResult | null> {
  const { clock, manifest } = input;
  const signal = input.signal ?? new AbortController().signal;
  setMaxListeners(0, signal);
  const startedMs = clock.nowMs();
  const seconds = input.seconds ?? accuracySeconds;
  const wire = createWire({ manifest, clock, digests: false });
  try {
    const connections = Array.from({ length: 32 }, (_, connection) => connection);
    await wire.warm(connections);
    // Both sides compile their code on first use; that is no error of the instrument.
    await Promise.all(
      connections.slice(0, 8).map((connection) => wire.send(streamRequest(input, -1 - connection, connection, signal))),
    );
    const before = performance.eventLoopUtilization();
    const exchanges = await sendStreams(input, wire, seconds, signal);
    const streaming = performance.eventLoopUtilization(before);
    const errors = measureErrors(exchanges, -monotonicOriginMs(() => clock.nowMs()));
    if (signal.aborted) return null;
    const eventCount = exchanges.reduce((sum, exchange) => sum + (exchange.response?.stream?.events.length ?? 0), 0);
    if (errors.events.length === 0) throw new Error(`none of its ${eventCount} events shows when it was sent`);
    await measureRequests(input, wire, ceilingWarmUpSeconds, signal);
    const requestsPerSecond = await measureRequests(input, wire, ceilingSeconds, signal);
    const measured: CalibrationResult = {
      ttftErrorMs: spread(errors.firstTokens),
      eventErrorMs: spread(errors.events),
      interTokenErrorMs: spread(errors.gaps),
      tpotErrorMs: spread(errors.means),
      intervalCoverage: errors.covered / errors.events.length,
      upperBoundHeld: errors.upperHeld / errors.events.length,
      ceiling: {
        requestsPerSecond: Math.round(requestsPerSecond),
        eventsPerSecond: Math.round((ceilingUtilization * 1000 * eventCount) / Math.max(1, streaming.active)),
        streams: streamCeiling(),
      },
      durationMs: clock.nowMs() - startedMs,
    };
    return { ...measured, doubts: instrumentDoubts(measured) };
  } finally {
    await wire.close();
  }
}

/** Beyond this share of busy time arrival stamps degrade (docs/measurements/performance.md). */
const ceilingUtilization = 0.7;

async function sendStreams(
  input: CalibrationInput,
  wire: Wire,
  seconds: number,
  signal: AbortSignal,
): Promise<readonly Exchange[]> {
  const { clock } = input;
  const random = createRandom(input.seed).fork("calibration");
  const startMs = clock.nowMs() + 150;
  const timesMs = Float64Array.from(
    arrivalTimes(constantRate(streamsPerSecond), unitGaps("poisson", random), startMs, 1000 * seconds),
  );
  const running: Promise<Exchange>[] = [];
  const free: number[] = Array.from({ length: 32 }, (_, connection) => connection);
  let connections = free.length;
  const send = async (index: number): Promise<Exchange> => {
    const connection = free.pop() ?? connections++;
    const exchange = await wire.send(streamRequest(input, index, connection, signal));
    free.push(connection);
    return exchange;
  };
  await createWorkerPacer(clock).run(timesMs, (index) => void running.push(send(index)), signal);
  return Promise.all(running);
}

function streamRequest({ manifest }: CalibrationInput, index: number, connection: number, signal: AbortSignal): SendRequest {
  const body = {
    model: manifest.models.chat,
    messages: [{ role: "user", content: `calibration ${index}` }],
    max_tokens: tokensPerStream,
    stream: true,
  };
  return {
    stage: "load",
    caseId: "load/calibration",
    label: `stream#${index}`,
    intent: { kind: "housekeeping", purpose: "calibration" },
    endpoint: "chat",
    method: endpoints.chat.method,
    path: endpoints.chat.path,
    credential: { kind: "bearer", key: loadKeyName("load", manifest) },
    body: { kind: "raw", bytes: JSON.stringify(body), contentType: "application/json" },
    connection: connection,
    signal,
  };
}

interface Errors {
  readonly firstTokens: number[];
  readonly events: number[];
  readonly gaps: number[];
  /** Of the mean gap of each stream. */
  readonly means: number[];
  covered: number;
  upperHeld: number;
}

function measureErrors(exchanges: readonly Exchange[], offsetMs: number): Errors {
  const errors: Errors = { firstTokens: [], events: [], gaps: [], means: [], covered: 0, upperHeld: 0 };
  for (const exchange of exchanges) {
    const events = exchange.response?.stream?.events ?? [];
    const stamps = events.map(({ data }) => readStamps(data, offsetMs));
    const seen: { readonly atMs: number; readonly trueMs: number }[] = [];
    for (const [place, event] of events.entries()) {
      const stamp = stamps[place] ?? null;
      // The event after it shows when its write had returned.
      const wroteMs = stamps[place + 1]?.beforeWroteMs ?? null;
      if (stamp === null || wroteMs === null || wroteMs - stamp.trueMs > longestWriteMs) continue;
      const { trueMs } = stamp;
      errors.events.push(event.atMs - trueMs);
      if (event.atMs >= trueMs - roundingMs) errors.upperHeld += 1;
      if ((event.latestMs ?? event.atMs) >= trueMs - roundingMs && event.earliestMs <= wroteMs + arrivalMs) errors.covered += 1;
      if (place === 0) errors.firstTokens.push(event.atMs - trueMs);
      const previous = seen.at(-1);
      if (previous !== undefined) errors.gaps.push(Math.abs(event.atMs - previous.atMs - (trueMs - previous.trueMs)));
      seen.push({ atMs: event.atMs, trueMs });
    }
    const [begin, end] = [seen[0], seen.at(-1)];
    if (begin === undefined || end === undefined || seen.length < 2) continue;
    const drift = end.atMs - begin.atMs - (end.trueMs - begin.trueMs);
    errors.means.push(Math.abs(drift) / (seen.length - 1));
  }
  return errors;
}

interface Stamps {
  /** Before the write of this event. */
  readonly trueMs: number;
  /** After the write of the event before it. */
  readonly beforeWroteMs: number | null;
}

function readStamps(data: string, offsetMs: number): Stamps | null {
  const value = tryJson(data);
  if (!isJsonObject(value) || typeof value["stamp_ns"] !== "number") return null;
  const wrote = value["wrote_ns"];
  return {
    trueMs: value["stamp_ns"] / 1e6 + offsetMs,
    beforeWroteMs: typeof wrote === "number" ? wrote / 1e6 + offsetMs : null,
  };
}

/** Plain answers per second at the ceiling utilisation, from a short closed loop over warm connections. */
async function measureRequests(input: CalibrationInput, wire: Wire, seconds: number, signal: AbortSignal): Promise<number> {
  const { clock, manifest } = input;
  const untilMs = clock.nowMs() + 1000 * seconds;
  const key = loadKeyName("load", manifest);
  let count = 0;
  const slot = async (connection: number): Promise<void> => {
    while (clock.nowMs() < untilMs && !signal.aborted) {
      await wire.send({
        stage: "load",
        caseId: "load/calibration",
        label: "ceiling",
        intent: { kind: "housekeeping", purpose: "calibration" },
        endpoint: "models",
        method: endpoints.models.method,
        path: endpoints.models.path,
        credential: { kind: "bearer", key },
        connection: connection,
        signal,
      });
      count += 1;
    }
  };
  const before = performance.eventLoopUtilization();
  await Promise.all(Array.from({ length: 16 }, (_, connection) => slot(connection)));
  const { active } = performance.eventLoopUtilization(before);
  return (ceilingUtilization * 1000 * count) / Math.max(1, active);
}

/** Descriptors that this process may open, less a reserve; 10,000 is the most that was ever measured. */
function streamCeiling(): number {
  try {
    const soft = /Max open files\s+(\d+)/.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return Math.min(10_000, Math.max(0, Number(soft ?? 1024) - 100));
  } catch {
    return 900;
  }
}

function spread(values: readonly number[]): ErrorSpread {
  const at = (percentile: number): number | null => reportedPercentile(values, percentile);
  const max = values.reduce((most, value) => Math.max(most, value), 0);
  return { p50: at(50), p95: at(95), p99: at(99), ...(values.length > 0 && { max }), samples: values.length };
}
