import { createServer, type AddressInfo, type Socket } from "node:net";
import { createInterface } from "node:readline";

/**
 * A server that knows the truth: of each stream when the request was read, and when its first and last events were written. Answers
 * and events are lawful. Arguments: events of a stream, milliseconds between them, and before the first. `truth-server.c` does the same.
 */
export interface Truth {
  readonly requests: number;
  readonly streams: number;
  readonly ttft: readonly number[];
  readonly tpot: readonly number[];
  readonly answer: readonly number[];
}

const [events = 50, intervalMs = 20, firstMs = 100] = process.argv.slice(2).map(Number);
const created = Math.floor(Date.now() / 1000);
const limits = ["requests", "tokens"]
  .map(
    (unit) =>
      `x-ratelimit-limit-${unit}: 1000000000\r\nx-ratelimit-remaining-${unit}: 999999999\r\nx-ratelimit-reset-${unit}: ${created + 3600}\r\n`,
  )
  .join("");
const bodies = {
  models: { object: "list", data: [{ id: "bench-model", object: "model", created, owned_by: "bench" }] },
  chat: {
    object: "chat.completion",
    created,
    model: "bench-model",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello there." }, finish_reason: "stop" }],
    usage: { prompt_tokens: 12, completion_tokens: 9, total_tokens: 21 },
  },
};

interface Stream {
  readonly socket: Socket;
  readonly id: string;
  readonly readAtMs: number;
  left: number;
  dueMs: number;
  firstMs: number;
}

const streams = new Set<Stream>();
let answered = 0;
let completions = 0;
let finished: Stream[] = [];
let lastMs: number[] = [];

function answer(socket: Socket, body: object): void {
  answered += 1;
  const text = JSON.stringify(body);
  socket.write(
    `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_${answered}\r\n${limits}content-length: ${text.length}\r\n\r\n${text}`,
  );
}

function chunk(value: object | "[DONE]"): string {
  const text = `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Two completions never have one id, as the specification demands. */
function nextId(): string {
  completions += 1;
  return `chatcmpl-${completions}`;
}

function part(id: string, delta: object, reason: string | null, rest: object = {}): object {
  const { model } = bodies.chat;
  const choices = [{ index: 0, delta, finish_reason: reason }];
  return { id, object: "chat.completion.chunk", created, model, choices, ...rest };
}

function tick(): void {
  const nowMs = performance.now();
  for (const stream of streams) {
    if (stream.dueMs > nowMs) continue;
    const isFirst = stream.left === events;
    stream.left -= 1;
    stream.dueMs += intervalMs;
    const wroteMs = performance.now();
    if (isFirst) stream.firstMs = wroteMs;
    const text = chunk(part(stream.id, isFirst ? { role: "assistant", content: " token" } : { content: " token" }, null));
    if (stream.left > 0) {
      stream.socket.write(text);
      continue;
    }
    const usage = { prompt_tokens: 32, completion_tokens: events, total_tokens: 32 + events };
    stream.socket.write(`${text}${chunk(part(stream.id, {}, "stop", { usage }))}${chunk("[DONE]")}0\r\n\r\n`);
    streams.delete(stream);
    finished.push(stream);
    lastMs.push(wroteMs);
  }
}

function serve(socket: Socket, head: string, body: string): void {
  if (!head.startsWith("POST")) answer(socket, head.startsWith("GET /v1/models") ? bodies.models : {});
  else if (!body.includes('"stream":true')) answer(socket, { id: nextId(), ...bodies.chat });
  else {
    const readAtMs = performance.now();
    socket.write(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${limits}transfer-encoding: chunked\r\n\r\n`);
    streams.add({ socket, id: nextId(), readAtMs, left: events, dueMs: readAtMs + firstMs, firstMs: 0 });
  }
}

const server = createServer({ noDelay: true }, (socket) => {
  let pending = "";
  socket.on("error", () => socket.destroy());
  socket.on("data", (data) => {
    pending += data.toString("latin1");
    for (let end = pending.indexOf("\r\n\r\n"); end >= 0; end = pending.indexOf("\r\n\r\n")) {
      const head = pending.slice(0, end);
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < end + 4 + length) return;
      serve(socket, head, pending.slice(end + 4, end + 4 + length));
      pending = pending.slice(end + 4 + length);
    }
  });
});
server.listen(0, "127.0.0.1", 4096, () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
setInterval(tick, 1);

/** The line "truth" is answered by what happened since it came before; the end of the input ends the server. */
createInterface({ input: process.stdin })
  .on("line", () => {
    const truth: Truth = {
      requests: answered,
      streams: finished.length,
      ttft: finished.map((stream) => stream.firstMs - stream.readAtMs),
      tpot: finished.map((stream, place) => ((lastMs[place] ?? 0) - stream.firstMs) / (events - 1)),
      answer: finished.map((stream, place) => (lastMs[place] ?? 0) - stream.readAtMs),
    };
    process.stdout.write(`${JSON.stringify(truth)}\n`);
    [answered, finished, lastMs] = [0, [], []];
  })
  .on("close", () => process.exit(0));
