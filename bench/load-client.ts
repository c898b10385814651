import { performance } from "node:perf_hooks";
import { createParser } from "eventsource-parser";
import { Client, Agent, fetch as undiciFetch } from "undici";
import type { LoadProfileResult } from "../src/core/load-result.ts";
import { createWorkerPacer } from "../src/load/pacer.ts";
import { readProfile } from "../src/load/read-profile.ts";
import { runLoadProfile } from "../src/load/run-load-profile.ts";
import { nearestRank } from "../src/load/second-series.ts";
import { createRealClock } from "../src/wire/real-clock.ts";
import { createWire } from "../src/wire/wire.ts";
import { manifestFor } from "../test/load/load-target.ts";

/** One measurement, in a process of its own: `client tool connections seconds url`. Answers its parent with the figures. */
export interface ClientFigures {
  readonly items: number;
  readonly seconds: number;
  /** Of this process, all threads. */
  readonly cpuMicroseconds: number;
  readonly loopUtilization: number;
  readonly errorMs: { readonly p50: number | null; readonly p99: number | null };
  readonly boundsHeld: { readonly upper: number; readonly lower: number } | null;
  readonly residentBytes: number;
  readonly note: string;
}

type Measure = (
  connections: number,
  seconds: number,
  url: string,
) => Promise<Omit<ClientFigures, "cpuMicroseconds" | "loopUtilization" | "residentBytes">>;

const body = JSON.stringify({ model: "bench", messages: [{ role: "user", content: "hello" }], stream: true, max_tokens: 40 });
const monotonicMs = (): number => Number(process.hrtime.bigint()) / 1e6;

function errorsOf(values: readonly number[]): ClientFigures["errorMs"] {
  return { p50: nearestRank(values, 50), p99: nearestRank(values, 99) };
}

async function runProfile(change: object, url: string): Promise<LoadProfileResult> {
  const manifest = manifestFor(url);
  const clock = createRealClock();
  const wire = createWire({ manifest, clock, digests: false, maxConnections: 20_000 });
  const profile = readProfile(
    JSON.stringify({
      id: "bench",
      title: "Bench",
      timeoutSeconds: 60,
      maxInFlight: 20_000,
      workload: [{ endpoint: "models" }],
      ...change,
    }),
    "bench",
  );
  const result = await runLoadProfile({ profile, manifest, sender: wire, clock, seed: 1 });
  await wire.close();
  return result;
}

const closedAssay: Measure = async (connections, seconds, url) => {
  const change = { arrivals: { kind: "closed", concurrency: connections }, durationSeconds: seconds };
  const result = await runProfile(change, url);
  return { items: result.counts.completed, seconds, errorMs: errorsOf([]), boundsHeld: null, note: "" };
};

const closedDispatch: Measure = async (connections, seconds, url) => {
  const until = performance.now() + 1000 * seconds;
  let items = 0;
  const once = (client: Client): Promise<void> =>
    new Promise((resolve, reject) => {
      client.dispatch(
        { path: "/v1/models", method: "GET" },
        { onConnect() {}, onHeaders: () => true, onData: () => true, onComplete: () => resolve(), onError: reject },
      );
    });
  await Promise.all(
    Array.from({ length: connections }, async () => {
      const client = new Client(url);
      while (performance.now() < until) {
        await once(client);
        items += 1;
      }
      await client.destroy();
    }),
  );
  return { items, seconds, errorMs: errorsOf([]), boundsHeld: null, note: "" };
};

const closedFetch: Measure = async (connections, seconds, url) => {
  const dispatcher = new Agent({ connections });
  const until = performance.now() + 1000 * seconds;
  let items = 0;
  await Promise.all(
    Array.from({ length: connections }, async () => {
      while (performance.now() < until) {
        await (await undiciFetch(`${url}/v1/models`, { dispatcher })).text();
        items += 1;
      }
    }),
  );
  await dispatcher.destroy();
  return { items, seconds, errorMs: errorsOf([]), boundsHeld: null, note: "" };
};

const closedAutocannon: Measure = async (connections, seconds, url) => {
  const { default: autocannon } = await import("autocannon");
  const result = await autocannon({ url: `${url}/v1/models`, connections, duration: seconds });
  return { items: result.requests.total, seconds: result.duration, errorMs: errorsOf([]), boundsHeld: null, note: "" };
};

const streamAssay: Measure = async (connections, seconds, url) => {
  const errors: number[] = [];
  let [items, upper, lower] = [0, 0, 0];
  const clock = createRealClock();
  const offsetMs = clock.nowMs() - monotonicMs();
  const manifest = manifestFor(url);
  const wire = createWire({ manifest, clock, digests: false, maxConnections: 20_000 });
  const profile = readProfile(
    JSON.stringify({
      id: "bench",
      title: "Bench",
      timeoutSeconds: 60,
      maxInFlight: 20_000,
      arrivals: { kind: "bursts", sizes: [connections], idleSeconds: 1000, spreadMs: Math.min(2000, connections) },
      durationSeconds: seconds,
      workload: [{ endpoint: "chat" }],
    }),
    "bench",
  );
  const result = await runLoadProfile({
    profile,
    manifest,
    sender: wire,
    clock,
    seed: 1,
    onExchange: ({ response }) => {
      for (const event of response?.stream?.events ?? []) {
        const stampNs = /"stamp_ns":(\d+)/.exec(event.data)?.[1];
        if (stampNs === undefined) continue;
        items += 1;
        const trueMs = Number(stampNs) / 1e6 + offsetMs;
        errors.push(event.atMs - trueMs);
        if (event.atMs >= trueMs - 0.002) upper += 1;
        if (event.earliestMs <= trueMs + 0.1) lower += 1;
      }
    },
  });
  await wire.close();
  const note = `ok ${result.outcomes.ok ?? 0}/${connections}${result.validity.valid ? "" : ` INVALID ${result.validity.reasons.join("; ")}`}`;
  return { items, seconds, errorMs: errorsOf(errors), boundsHeld: { upper: upper / items, lower: lower / items }, note };
};

const streamDispatch: Measure = async (connections, seconds, url) => {
  const errors: number[] = [];
  let items = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index / connections) * Math.min(2000, connections)));
      const client = new Client(url, { headersTimeout: 0, bodyTimeout: 0 });
      await new Promise<void>((resolve, reject) => {
        let atMs = 0;
        const parser = createParser({
          onEvent: ({ data }) => {
            if (data === "[DONE]") return;
            items += 1;
            errors.push(atMs - (JSON.parse(data) as { stamp_ns: number }).stamp_ns / 1e6);
          },
        });
        client.dispatch(
          { path: "/v1/chat/completions", method: "POST", body, headers: { "content-type": "application/json" } },
          {
            onConnect() {},
            onHeaders: () => true,
            onData: (chunk: Buffer) => {
              atMs = monotonicMs();
              parser.feed(chunk.toString());
              return true;
            },
            onComplete: () => resolve(),
            onError: reject,
          },
        );
      });
      await client.destroy();
    }),
  );
  return { items, seconds, errorMs: errorsOf(errors), boundsHeld: null, note: "" };
};

const streamFetch: Measure = async (connections, seconds, url) => {
  const dispatcher = new Agent({ connections, headersTimeout: 0, bodyTimeout: 0 });
  const errors: number[] = [];
  let items = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, index) => {
      await new Promise((resolve) => setTimeout(resolve, (index / connections) * Math.min(2000, connections)));
      const response = await undiciFetch(`${url}/v1/chat/completions`, { method: "POST", body, dispatcher });
      const decoder = new TextDecoder();
      let atMs = 0;
      const parser = createParser({
        onEvent: ({ data }) => {
          if (data === "[DONE]") return;
          items += 1;
          errors.push(atMs - (JSON.parse(data) as { stamp_ns: number }).stamp_ns / 1e6);
        },
      });
      for await (const chunk of response.body ?? []) {
        atMs = monotonicMs();
        parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
      }
    }),
  );
  await dispatcher.destroy();
  return { items, seconds, errorMs: errorsOf(errors), boundsHeld: null, note: "" };
};

/** `connections` is the rate per second here. */
const pacing: Measure = async (perSecond, seconds) => {
  const clock = createRealClock();
  const count = perSecond * seconds;
  const startMs = clock.nowMs() + 200;
  const times = Float64Array.from({ length: count }, (_, index) => startMs + (1000 * index) / perSecond);
  const delays: number[] = [];
  await createWorkerPacer(clock).run(
    times,
    (index) => delays.push(clock.nowMs() - (times[index] ?? 0)),
    new AbortController().signal,
  );
  const early = delays.filter((delay) => delay < 0).length;
  return { items: count, seconds, errorMs: errorsOf(delays), boundsHeld: null, note: `${early} early` };
};

const timers: Measure = async (perSecond, seconds) => {
  const startMs = performance.now() + 200;
  const delays: number[] = [];
  const count = perSecond * seconds;
  await new Promise<void>((resolve) => {
    const next = (): void => {
      while (delays.length < count && performance.now() >= startMs + (1000 * delays.length) / perSecond) {
        delays.push(performance.now() - startMs - (1000 * delays.length) / perSecond);
      }
      if (delays.length === count) resolve();
      else setTimeout(next, startMs + (1000 * delays.length) / perSecond - performance.now());
    };
    next();
  });
  return { items: count, seconds, errorMs: errorsOf(delays), boundsHeld: null, note: "" };
};

const tools: Readonly<Record<string, Measure>> = {
  "closed assay": closedAssay,
  "closed dispatch": closedDispatch,
  "closed fetch": closedFetch,
  "closed autocannon": closedAutocannon,
  "stream assay": streamAssay,
  "stream dispatch": streamDispatch,
  "stream fetch": streamFetch,
  "pacing assay": pacing,
  "pacing timers": timers,
};

const [tool = "", connections = "1", seconds = "1", url = ""] = process.argv.slice(2);
const measure = tools[tool];
if (measure === undefined) throw new RangeError(`no client named "${tool}"`);
// Loading and compiling code is no cost of a request: a short closed loop with the same client comes first.
const warmUp = tools[tool.replace("stream", "closed")];
if (!tool.startsWith("pacing")) await warmUp?.(8, 1, url);
const cpu = process.cpuUsage();
const loop = performance.eventLoopUtilization();
let residentBytes = process.memoryUsage().rss;
const baseBytes = residentBytes;
const watch = setInterval(() => {
  residentBytes = Math.max(residentBytes, process.memoryUsage().rss);
}, 200);
const figures = await measure(Number(connections), Number(seconds), url);
clearInterval(watch);
const used = process.cpuUsage(cpu);
process.send?.({
  ...figures,
  cpuMicroseconds: used.user + used.system,
  loopUtilization: performance.eventLoopUtilization(loop).utilization,
  residentBytes: residentBytes - baseBytes,
} satisfies ClientFigures);
process.disconnect?.();
