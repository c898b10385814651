import { createServer, type AddressInfo, type Socket } from "node:net";

/**
 * A plain server for benches: keep-alive answers of one body, and streams whose events carry CLOCK_MONOTONIC nanoseconds taken
 * just before they are written. It speaks as much HTTP/1.1 as the benches need, so that it is not what limits them.
 */

const rateLimits: string = ["requests", "tokens"]
  .map(
    (unit) =>
      `x-ratelimit-limit-${unit}: 1000000000\r\nx-ratelimit-remaining-${unit}: 999999999\r\nx-ratelimit-reset-${unit}: ${Math.floor(Date.now() / 1000) + 60}\r\n`,
  )
  .join("");
/** Lawful, so that judges take the way that they take with a lawful target. */
const jsonBody: string = JSON.stringify({
  object: "list",
  data: Array.from({ length: 4 }, (_, number) => ({
    id: `bench-model-${number}`,
    object: "model",
    created: 1_790_000_000,
    owned_by: "the bench of a load generator",
  })),
});
const jsonAnswer: Buffer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nx-request-id: req_000000000000\r\n${rateLimits}content-length: ${Buffer.byteLength(jsonBody)}\r\n\r\n${jsonBody}`,
);
const requestIdAt = jsonAnswer.indexOf("req_") + 4;
const remainingAt = jsonAnswer.indexOf("999999999");
let answered = 0;
let written = 0;

/** As those of a real service are, no two answers are alike: each has an identifier of its own and one request less to give. */
function nextAnswer(): Buffer {
  answered += 1;
  const bytes = Buffer.from(jsonAnswer);
  bytes.write(answered.toString().padStart(12, "0"), requestIdAt, "latin1");
  bytes.write((999_999_999 - answered).toString(), remainingAt, "latin1");
  return bytes;
}

const notFound: Buffer = Buffer.from(
  `HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\n${rateLimits}content-length: 31\r\n\r\n{"error":{"code":"not_found"}}\n`,
);
const streamHead: string = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${rateLimits}transfer-encoding: chunked\r\n\r\n`;
const padding = "x".repeat(60);

interface Stream {
  readonly socket: Socket;
  readonly receivedNs: number;
  left: number;
  dueNs: number;
}

const [intervalMs = 50, events = 40, aligned = 0] = process.argv.slice(2).map(Number);
const streams = new Set<Stream>();

const now = (): number => Number(process.hrtime.bigint());

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

/** Role first, finish_reason last, as clients of the convention expect. */
function eventText(stampNs: number, { receivedNs, left }: Stream): string {
  const delta = left === events ? '{"role":"assistant","content":""}' : '{"content":" token"}';
  return `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1790000000,"model":"bench","choices":[{"index":0,"delta":${delta},"finish_reason":${left === 1 ? '"stop"' : "null"}}],"padding":"${padding}","stamp_ns":${stampNs},"received_ns":${receivedNs}}\n\n`;
}

function tick(): void {
  const atNs = now();
  for (const stream of streams) {
    if (stream.dueNs > atNs) continue;
    stream.socket.write(chunk(eventText(now(), stream)));
    stream.left -= 1;
    written += 1;
    stream.dueNs += 1e6 * intervalMs;
    if (stream.left > 0) continue;
    streams.delete(stream);
    stream.socket.write(`${chunk("data: [DONE]\n\n")}0\r\n\r\n`);
  }
}

function answer(socket: Socket, head: string): void {
  const receivedNs = now();
  if (!head.startsWith("POST")) {
    // No books are kept here: the engine asks for them before and after.
    socket.write(head.startsWith("GET /v1/models") ? nextAnswer() : notFound);
    return;
  }
  socket.write(streamHead);
  const step = 1e6 * intervalMs;
  // Aligned streams all emit at the same instant, as continuous batching does.
  const firstNs = aligned === 1 ? Math.ceil(now() / step) * step : now() + step * Math.random();
  streams.add({ socket, receivedNs, left: events, dueNs: firstNs });
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
      pending = pending.slice(end + 4 + length);
      answer(socket, head);
    }
  });
});
server.listen(0, "127.0.0.1", 4096, () => process.send?.((server.address() as AddressInfo).port));
setInterval(tick, 1);
// A parent that asks gets the number of events that were written.
process.on("message", () => process.send?.(written));
process.on("disconnect", () => process.exit(0));
