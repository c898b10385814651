import { openJudgeContext } from "../../src/run/judge-context.ts";
import { parentPort, workerData } from "node:worker_threads";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { PassiveValidator } from "../../src/conformance/verdict/passive-validator.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { measureShare } from "../../src/load/workers/measure-share.ts";
import { planLoad } from "../../src/load/plan/plan-load.ts";
import { readProfile } from "../../src/load/plan/read-profile.ts";
import { EventStream } from "../../src/wire/capture/event-stream.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { manifestFor } from "../../test/make/load/load-target.ts";

const unbounded = { events: Infinity, eventLength: Infinity, take: () => true, recordBytes: () => 0 };

/** The order for a replay. */
export interface ReplayOrder {
  readonly seconds: number;
  readonly index: number;
  readonly count: number;
}

export interface ReplayFigures {
  readonly requests: number;
  readonly events: number;
}

const eventsPerStream = 40;
/** Bytes of one answer as a server sends them: an event a read. */
const reads: readonly Buffer[] = [
  ...Array.from({ length: eventsPerStream }, (_, index) =>
    Buffer.from(
      `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1790000000,"model":"bench","choices":[{"index":0,"delta":{"content":" token${index}"},"finish_reason":null}]}\n\n`,
    ),
  ),
  Buffer.from(
    'data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1790000000,"model":"bench","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
  ),
];

/** One loop without any server: stored bytes go through the stream reader, the judges, the engine and its records. */
async function replay({ seconds, index, count }: ReplayOrder): Promise<ReplayFigures> {
  const manifest = manifestFor("http://127.0.0.1:9");
  const clock = createRealClock();
  const context = openJudgeContext(manifest);
  const passive = new PassiveValidator({ judges: allJudges, context });
  const profile = readProfile(
    JSON.stringify({
      id: "replay",
      title: "Replay",
      arrivals: { kind: "closed", concurrency: 32 },
      durationSeconds: seconds,
      workload: [{ endpoint: "chat", promptTokens: 30, outputTokens: eventsPerStream }],
    }),
    "replay",
  );
  let seq = 0;
  const send = async (request: SendRequest): Promise<Exchange> => {
    const sentMs = clock.nowMs();
    // A turn of the loop, as an answer needs at least; without it the recording would get no turn either.
    await new Promise((resolve) => setImmediate(resolve));
    const stream = new EventStream(unbounded);
    for (const [read, bytes] of reads.entries()) {
      const atMs = clock.nowMs();
      stream.write(bytes, { read, atMs, earliestMs: sentMs, latestMs: atMs });
    }
    const pendingAtEnd = stream.end();
    const endMs = clock.nowMs();
    seq += 1;
    const exchange: Exchange = {
      seq,
      stage: "load",
      caseId: request.caseId,
      label: request.label,
      intent: request.intent,
      endpoint: request.endpoint,
      keyName: "primary",
      attempt: 1,
      retryOf: null,
      request: { method: request.method, path: request.path, headers: [], body: null },
      response: {
        status: 200,
        headers: [["content-type", "text/event-stream"]],
        body: null,
        stream: {
          events: stream.list((text) => text),
          comments: 0,
          pendingAtEnd,
          validUtf8: stream.validUtf8,
          bytes: 8000,
          sha256: "",
        },
      },
      failure: null,
      timing: {
        intendedMs: request.intendedMs ?? null,
        sentMs,
        headersMs: sentMs,
        firstByteMs: sentMs,
        endMs,
        wallMs: clock.wallMs(),
      },
      connection: { id: 1, reused: true },
    };
    passive.observe(exchange);
    return exchange;
  };
  const result = await measureShare({
    profile,
    plan: planLoad({ profile, manifest, seed: 1 }),
    share: { index, count },
    manifest,
    sender: { send, burst: () => Promise.resolve([]) },
    clock,
    seed: 1,
    signal: new AbortController().signal,
    onProgress: () => {},
    onExchange: () => {},
    async startAt() {
      // Judges and schemas are loaded: from here on the time counts.
      parentPort?.postMessage("ready", []);
      await new Promise((resolve) => parentPort?.once("message", resolve));
      return clock.nowMs();
    },
  });
  return { requests: result.records.length, events: result.records.length * eventsPerStream };
}

const order = workerData as ReplayOrder;
replay(order).then(
  (figures) => parentPort?.postMessage(figures, []),
  (error: unknown) => {
    throw error;
  },
);
