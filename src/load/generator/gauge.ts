import { Worker } from "node:worker_threads";

/** A server of this machine that reports when it really wrote. */
export interface Gauge {
  readonly baseUrl: string;
  close(): Promise<void>;
}

/** A thread starts within a tenth of a second; on a machine with much other work it is not given up either. */
const startTimeoutMs = 120_000;

/**
 * Starts a plain socket server in a thread of its own. Each event of its streams shows CLOCK_MONOTONIC nanoseconds before its own
 * write (`stamp_ns`) and after the write of the event before it (`wrote_ns`): a server that lost its processor in between knows so.
 */
export function startGauge(patienceMs: number = startTimeoutMs): Promise<Gauge> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(gaugeSource, { eval: true });
    const close = async (): Promise<void> => void (await worker.terminate());
    const fail = (error: Error): void => {
      clearTimeout(timer);
      reject(error);
      void close();
    };
    const timer = setTimeout(() => fail(new Error(`the gauge did not start within ${patienceMs / 1000} s`)), patienceMs);
    worker.once("error", fail);
    worker.once("message", (port: number) => {
      clearTimeout(timer);
      resolve({ baseUrl: `http://127.0.0.1:${port}`, close });
    });
    worker.once("exit", (code) => fail(new Error(`the gauge ended with code ${code}`)));
  });
}

/** Runs inside the thread, as text: a thread cannot load TypeScript while tests run from source. */
const gaugeSource: string = String.raw`
const { createServer } = require("node:net");
const { parentPort } = require("node:worker_threads");
const gapMs = 5;
const now = () => process.hrtime.bigint();
const plain = '{"object":"list","data":[' + Array.from({ length: 4 }, (_, at) => '{"id":"gauge-' + at + '","object":"model","created":1,"owned_by":"gauge"}').join() + ']}';
const answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: " + plain.length + "\r\n\r\n" + plain;
const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
const chunk = (text) => text.length.toString(16) + "\r\n" + text + "\r\n";

function stream(socket, events) {
  let left = events;
  let wrote = null;
  socket.write(head);
  const next = () => {
    if (socket.destroyed) return;
    const last = left === 0;
    const before = wrote === null ? "" : ',"wrote_ns":' + wrote;
    const content = last ? '{}' : '{"content":" word"}';
    const text = 'data: {"choices":[{"index":0,"delta":' + content + '}]' + before;
    socket.write(chunk(text + ',"stamp_ns":' + now() + "}\n\n") + (last ? chunk("data: [DONE]\n\n") + "0\r\n\r\n" : ""));
    wrote = now();
    left -= 1;
    if (!last) setTimeout(next, gapMs);
  };
  setTimeout(next, gapMs);
}

const server = createServer({ noDelay: true }, (socket) => {
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (bytes) => {
    text += bytes.toString("latin1");
    for (let end = text.indexOf("\r\n\r\n"); end !== -1; end = text.indexOf("\r\n\r\n")) {
      const length = Number(/\r\ncontent-length: *(\d+)/i.exec(text.slice(0, end))?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      const body = text.slice(end + 4, end + 4 + length);
      text = text.slice(end + 4 + length);
      const events = /"max_tokens":(\d+)/.exec(body);
      if (events === null) socket.write(answer);
      else stream(socket, Number(events[1]));
    }
  });
});
server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));
`;
