import { createServer, type AddressInfo, type Socket } from "node:net";

/**
 * A plain server for benches: keep-alive answers of one body, and streams whose events carry CLOCK_MONOTONIC nanoseconds taken
 * just before they are written. It speaks as much HTTP/1.1 as the benches need, so that it is not what limits them.
 */

const jsonBody: string = JSON.stringify({
  id: "chatcmpl-0123456789abcdef",
  object: "chat.completion",
  created: 1_790_000_000,
  model: "bench",
  choices: [{ index: 0, message: { role: "assistant", content: "word ".repeat(20) }, finish_reason: "stop" }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
});
const jsonAnswer: Buffer = Buffer.from(
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(jsonBody)}\r\n\r\n${jsonBody}`,
);
const streamHead = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
const padding = "x".repeat(60);

interface Stream {
  readonly socket: Socket;
  left: number;
  dueNs: number;
}

const [intervalMs = 50, events = 40, aligned = 0] = process.argv.slice(2).map(Number);
const streams = new Set<Stream>();

const now = (): number => Number(process.hrtime.bigint());

function chunk(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

function eventText(stampNs: number): string {
  return `data: {"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1790000000,"model":"bench","choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}],"padding":"${padding}","stamp_ns":${stampNs}}\n\n`;
}

function tick(): void {
  const atNs = now();
  for (const stream of streams) {
    if (stream.dueNs > atNs) continue;
    stream.socket.write(chunk(eventText(now())));
    stream.left -= 1;
    stream.dueNs += 1e6 * intervalMs;
    if (stream.left > 0) continue;
    streams.delete(stream);
    stream.socket.write(`${chunk("data: [DONE]\n\n")}0\r\n\r\n`);
  }
}

function answer(socket: Socket, head: string): void {
  if (!head.startsWith("POST")) {
    socket.write(jsonAnswer);
    return;
  }
  socket.write(streamHead);
  const step = 1e6 * intervalMs;
  // Aligned streams all emit at the same instant, as continuous batching does.
  const firstNs = aligned === 1 ? Math.ceil(now() / step) * step : now() + step * Math.random();
  streams.add({ socket, left: events, dueNs: firstNs });
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
process.on("disconnect", () => process.exit(0));
