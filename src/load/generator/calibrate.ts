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
import { instrumentDoubts } from "./doubt-instrument.ts";
import { reportedPercentile } from "../statistics/percentile-estimate.ts";

export interface CalibrationInput {
  /** Manifest of a reference service in another process on this machine; nothing else can say the true instants. */
  readonly manifest: Manifest;
  readonly clock: Clock;
  readonly seed: number;
  readonly signal?: AbortSignal;
  /** Length of the accuracy part; by default long enough that there are first tokens for a p95. */
  readonly seconds?: number;
}

const accuracySeconds = 1.5;
const ceilingSeconds = 0.4;
/** How long a calibration takes, but for the start of its service. */
export const calibrationMs: number = 1000 * (accuracySeconds + ceilingSeconds);

const streamsPerSecond = 60;
const tokensPerStream = 12;
/** Between the service's stamp and the arrival of the bytes at this process lies the service's own write. */
const writeAllowanceMs = 1;

/**
 * Measures the error of this machine against the service's own clock: the service writes CLOCK_MONOTONIC nanoseconds into each
 * event (`stamp_ns`) and into the first when it read the request (`received_ns`); on one machine our clock is the same.
 * Returns null when the service does not stamp its events, or when the signal ended it.
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
    if (errors.events.length === 0 || signal.aborted) return null;
    const requestsPerSecond = await measureRequests(input, wire, ceilingSeconds, signal);
    const eventCount = exchanges.reduce((sum, exchange) => sum + (exchange.response?.stream?.events.length ?? 0), 0);
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
    stage: "setup",
    caseId: "load/calibration",
    label: `stream#${index}`,
    intent: { kind: "housekeeping", purpose: "calibration" },
    endpoint: "chat",
    method: endpoints.chat.method,
    path: endpoints.chat.path,
    credential: { kind: "bearer", key: loadKeyName("load", manifest) },
    headers: { "x-reference-stamp": "1" },
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
    let previous: { readonly atMs: number; readonly trueMs: number } | null = null;
    let first = true;
    let begin: { readonly atMs: number; readonly trueMs: number } | null = null;
    let tokens = 0;
    for (const event of exchange.response?.stream?.events ?? []) {
      const stamps = readStamps(event.data, offsetMs);
      if (stamps === null) continue;
      const { trueMs, receivedMs, content } = stamps;
      const latestMs = event.latestMs ?? event.atMs;
      errors.events.push(event.atMs - trueMs);
      // A microsecond for the rounding of stamps and of the clock offset.
      if (event.atMs >= trueMs - 0.002) errors.upperHeld += 1;
      if (latestMs >= trueMs - 0.002 && event.earliestMs <= trueMs + writeAllowanceMs) errors.covered += 1;
      if (!content) continue;
      if (first && receivedMs !== null) errors.firstTokens.push(event.atMs - exchange.timing.sentMs - (trueMs - receivedMs));
      first = false;
      if (previous !== null) errors.gaps.push(Math.abs(event.atMs - previous.atMs - (trueMs - previous.trueMs)));
      previous = { atMs: event.atMs, trueMs };
      begin ??= previous;
      tokens += 1;
    }
    if (begin !== null && previous !== null && tokens > 1) {
      const drift = previous.atMs - begin.atMs - (previous.trueMs - begin.trueMs);
      errors.means.push(Math.abs(drift) / (tokens - 1));
    }
  }
  return errors;
}

function readStamps(
  data: string,
  offsetMs: number,
): { readonly trueMs: number; readonly receivedMs: number | null; readonly content: boolean } | null {
  if (data === "[DONE]") return null;
  const value = tryJson(data);
  if (!isJsonObject(value) || typeof value["stamp_ns"] !== "number") return null;
  const received = value["received_ns"];
  return {
    trueMs: value["stamp_ns"] / 1e6 + offsetMs,
    receivedMs: typeof received === "number" ? received / 1e6 + offsetMs : null,
    content: /"content":"[^"]/.test(data),
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
        stage: "setup",
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
  return { p50: at(50), p95: at(95), p99: at(99), max, samples: values.length };
}
