import { fork, type ChildProcess } from "node:child_process";
import { createServer, type AddressInfo, type Socket } from "node:net";
import { once } from "node:events";
import { createParser } from "eventsource-parser";
import { Client } from "undici";
import type { SendRequest } from "../src/core/exchange/send-request.ts";
import { createRealClock } from "../src/wire/clock/real-clock.ts";
import { createWire } from "../src/wire/client/wire.ts";
import type { WireOptions } from "../src/wire/client/wire-options.ts";
import { testManifest } from "../test/make/test-manifest.ts";

/**
 * CPU time of this process per event and per request: the wire beside bare dispatch with the same parser, against a server
 * in another process. CPU time is compared, not rates: it holds on a machine that others use too.
 * Usage: node bench/wire.bench.ts [streams] [interval in ms] [seconds]
 */
const [streams = 500, intervalMs = 25, seconds = 4] = process.argv.slice(2).map(Number);

const eventData = JSON.stringify({
  id: "chatcmpl-0123456789abcdef",
  object: "chat.completion.chunk",
  created: 1_790_000_000,
  model: "bench-model",
  choices: [{ index: 0, delta: { content: " token of some length" }, finish_reason: null }],
  padding: "x".repeat(80),
});
const jsonBody = JSON.stringify({ object: "chat.completion", content: "y".repeat(280) });

interface Measured {
  readonly items: number;
  readonly cpuMicroseconds: number;
  readonly elapsedMs: number;
}

if (process.argv.includes("serve")) serve();
else await main();

async function main(): Promise<void> {
  const server = fork(new URL(import.meta.url), [String(streams), String(intervalMs), String(seconds), "serve"]);
  const [port] = (await once(server, "message")) as [number];
  const url = `http://127.0.0.1:${port}`;
  try {
    console.log(`${streams} streams, an event of ${eventData.length} bytes every ${intervalMs} ms, ${seconds} s`);
    const rows: [string, () => Promise<Measured>][] = [
      ["bare dispatch + eventsource-parser", () => bareStreams(url)],
      ["wire with digests", () => wireStreams(url, { digests: true })],
      ["wire as under load", () => wireStreams(url, {})],
    ];
    await compare("event", rows);
    await compare("request", [
      ["bare dispatch", () => bareRequests(url)],
      ["wire with digests", () => wireRequests(url, { digests: true })],
      ["wire as under load", () => wireRequests(url, {})],
    ]);
  } finally {
    stop(server);
  }
}

/** Three rounds in turn, the median of each row beside the first row. */
async function compare(item: string, rows: readonly [string, () => Promise<Measured>][]): Promise<void> {
  const costs = rows.map((): number[] => []);
  const rates = rows.map((): number[] => []);
  for (let round = 0; round < 3; round += 1) {
    for (const [index, [, run]] of rows.entries()) {
      const { items, cpuMicroseconds, elapsedMs } = await run();
      costs[index]?.push(cpuMicroseconds / items);
      rates[index]?.push((items / elapsedMs) * 1000);
    }
  }
  const median = (values: readonly number[] = []): number => values.toSorted((a, b) => a - b)[1] ?? Number.NaN;
  const yardstick = median(costs[0]);
  for (const [index, [name]] of rows.entries()) {
    const cost = median(costs[index]);
    const rate = Math.round(median(rates[index]));
    console.log(
      `${name.padEnd(36)} ${cost.toFixed(1)} us CPU per ${item}  ${(cost / yardstick).toFixed(2)}x  ${rate} ${item}s/s`,
    );
  }
}

async function measure(run: () => Promise<number>): Promise<Measured> {
  const startedMs = performance.now();
  const before = process.cpuUsage();
  const items = await run();
  const { user, system } = process.cpuUsage(before);
  return { items, cpuMicroseconds: user + system, elapsedMs: performance.now() - startedMs };
}

function bareStreams(url: string): Promise<Measured> {
  return measure(async () => {
    let events = 0;
    const parseEvents = (client: Client): Promise<void> =>
      new Promise((resolve, reject) => {
        const parser = createParser({ onEvent: () => (events += 1) });
        client.dispatch(
          { method: "GET", path: "/stream" },
          {
            onConnect() {},
            onHeaders: () => true,
            onData(chunk: Buffer) {
              parser.feed(chunk.toString("utf8"));
              return true;
            },
            onComplete: () => resolve(),
            onError: reject,
          },
        );
      });
    const clients = Array.from({ length: streams }, () => new Client(url));
    await Promise.all(clients.map(parseEvents));
    await Promise.all(clients.map((client) => client.destroy()));
    return events;
  });
}

function bareRequests(url: string): Promise<Measured> {
  return measure(async () => {
    let requests = 0;
    const clients = Array.from({ length: 50 }, () => new Client(url));
    const endMs = performance.now() + seconds * 500;
    const once = (client: Client): Promise<void> =>
      new Promise((resolve, reject) => {
        const chunks: Buffer[] = [];
        client.dispatch(
          { method: "POST", path: "/json", body: jsonBody, headers: ["content-type", "application/json"] },
          {
            onConnect() {},
            onHeaders: () => true,
            onData: (chunk: Buffer) => chunks.push(chunk) > 0,
            onComplete() {
              requests += Buffer.concat(chunks).toString("utf8").length > 0 ? 1 : 0;
              resolve();
            },
            onError: reject,
          },
        );
      });
    const loop = async (client: Client): Promise<void> => {
      while (performance.now() < endMs) await once(client);
    };
    await Promise.all(clients.map(loop));
    await Promise.all(clients.map((client) => client.destroy()));
    return requests;
  });
}

function request(changes: Partial<SendRequest>): SendRequest {
  return {
    stage: "load",
    caseId: "load/bench",
    label: "bench",
    intent: { kind: "load", profile: "bench", phase: "measure" },
    endpoint: "chat",
    method: "GET",
    path: "/stream",
    credential: { kind: "bearer", key: "primary" },
    ...changes,
  };
}

function wireStreams(url: string, options: Partial<WireOptions>): Promise<Measured> {
  return measure(async () => {
    const wire = createWire({ manifest: testManifest(url), clock: createRealClock(), ...options });
    const exchanges = await Promise.all(
      Array.from({ length: streams }, (_, slot) => wire.send(request({ connection: slot, totalTimeoutMs: 60_000 }))),
    );
    await wire.close();
    return exchanges.reduce((sum, { response }) => sum + (response?.stream?.events.length ?? 0), 0);
  });
}

function wireRequests(url: string, options: Partial<WireOptions>): Promise<Measured> {
  return measure(async () => {
    const wire = createWire({ manifest: testManifest(url), clock: createRealClock(), ...options });
    let requests = 0;
    const endMs = performance.now() + seconds * 500;
    const body = { kind: "raw", bytes: jsonBody, contentType: "application/json" } as const;
    const loop = async (slot: number): Promise<void> => {
      while (performance.now() < endMs) {
        const { response } = await wire.send(request({ connection: slot, method: "POST", path: "/json", body }));
        if (response?.body?.text) requests += 1;
      }
    };
    await Promise.all(Array.from({ length: 50 }, (_, slot) => loop(slot)));
    await wire.close();
    return requests;
  });
}

/** Runs in the child: plain sockets, so that the server is not the limit. */
function serve(): void {
  const event = Buffer.from(`data: ${eventData}\n\n`);
  const chunk = Buffer.concat([Buffer.from(`${event.length.toString(16)}\r\n`), event, Buffer.from("\r\n")]);
  const streamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
  const jsonAnswer = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${jsonBody.length}\r\n\r\n${jsonBody}`;
  const perStream = Math.floor((seconds * 1000) / intervalMs);
  const running: { readonly socket: Socket; dueMs: number; left: number }[] = [];
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    socket.on("data", (data) => {
      if (!data.includes("/stream")) socket.write(jsonAnswer);
      else {
        socket.write(streamHead);
        running.push({ socket, dueMs: performance.now() + Math.random() * intervalMs, left: perStream });
      }
    });
  });
  setInterval(() => {
    const nowMs = performance.now();
    for (let index = running.length - 1; index >= 0; index -= 1) {
      const stream = running[index];
      if (stream === undefined || stream.dueMs > nowMs) continue;
      stream.dueMs += intervalMs;
      stream.left -= 1;
      if (stream.left > 0) stream.socket.write(chunk);
      else {
        stream.socket.write("0\r\n\r\n");
        running.splice(index, 1);
      }
    }
  }, 1);
  server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
  process.on("disconnect", () => process.exit());
}

function stop(child: ChildProcess): void {
  child.disconnect();
  child.kill();
}
