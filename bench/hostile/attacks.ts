import type { Socket } from "node:net";
import { gzipSync } from "node:zlib";

/** What a hostile target answers to every request; `head` and `path` are those of the request. */
export interface Attack {
  readonly id: string;
  readonly answer: (socket: Socket, request: { readonly head: string; readonly path: string }) => void;
}

const closing = "connection: close\r\n";
const json = `HTTP/1.1 200 OK\r\n${closing}content-type: application/json\r\n`;
const events = `HTTP/1.1 200 OK\r\n${closing}content-type: text/event-stream\r\n\r\n`;
const megabyte = 1_048_576;

function body(text: string | Buffer, head = json): (socket: Socket) => void {
  return (socket) => {
    socket.write(`${head}content-length: ${Buffer.byteLength(text)}\r\n\r\n`);
    socket.end(text);
  };
}

/** 400 MB that travel as a few hundred kilobytes; made when they are asked for. */
function bomb(type: string, piece: string): (socket: Socket) => void {
  let bytes: Buffer | null = null;
  return (socket) => {
    bytes ??= gzipSync(Buffer.alloc(400 * megabyte, piece));
    body(bytes, `${json.replace("application/json", type)}content-encoding: gzip\r\n`)(socket);
  };
}

/** The same piece again and again for as long as somebody reads. */
function flood(first: string, piece: string | Buffer, bytes: number): (socket: Socket) => void {
  return (socket) => {
    let sent = 0;
    const more = (): void => {
      if (socket.destroyed) return;
      sent += piece.length;
      if (sent < bytes) socket.write(piece, more);
      else socket.end(piece);
    };
    socket.write(first);
    more();
  };
}

/** One piece each so many milliseconds, without end. */
function drip(first: string, piece: string, everyMs: number): (socket: Socket) => void {
  return (socket) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(piece), everyMs);
    socket.on("close", () => clearInterval(timer));
  };
}

function limited(
  fields: Readonly<Record<string, string>>,
  status = "200 OK",
  text = '{"object":"list","data":[]}',
): (socket: Socket) => void {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return body(text, `HTTP/1.1 ${status}\r\n${closing}content-type: application/json\r\n${lines.join("")}`);
}

function limitOf(limit: string, remaining = limit): (socket: Socket) => void {
  const reset = String(Math.floor(Date.now() / 1000) + 60);
  return limited({
    "x-ratelimit-limit-requests": limit,
    "x-ratelimit-remaining-requests": remaining,
    "x-ratelimit-reset-requests": reset,
    "x-ratelimit-limit-tokens": limit,
    "x-ratelimit-remaining-tokens": remaining,
    "x-ratelimit-reset-tokens": reset,
  });
}

function nested(depth: number, open: string, close: string): string {
  return `{"object":"list","data":${open.repeat(depth)}1${close.repeat(depth)},"usage":${open.repeat(depth)}1${close.repeat(depth)}}`;
}

function manyMembers(): string {
  return `{${Array.from({ length: 60_000 }, (_, at) => `"m${at % 30_000}":${at}`).join(",")}}`;
}

let counted = 0;

export const attacks: readonly Attack[] = [
  { id: "JSON nested 5,000 deep", answer: body(nested(5000, "[", "]")) },
  { id: "JSON nested 100,000 deep", answer: body(nested(100_000, '{"a":', "}")) },
  {
    id: "error nested 5,000 deep",
    answer: body(nested(5000, '{"error":', "}"), json.replace("200 OK", "422 Unprocessable Content")),
  },
  { id: "60,000 members, each twice", answer: body(manyMembers()) },
  { id: "300,000 values of a wrong type", answer: body(`{"object":"list","data":[${"0,".repeat(300_000)}0]}`) },
  { id: "90,000 values of a wrong type", answer: body(`{"object":"list","data":[${"0,".repeat(90_000)}0]}`) },
  {
    id: "numbers beyond a double",
    answer: body(`{"object":"list","data":[{"id":"m","created":1e999}],"usage":{"total_tokens":${"9".repeat(4000)}}}`),
  },
  { id: "100 MB of JSON", answer: flood(`${json}\r\n{"object":"list","data":["`, "x".repeat(megabyte), 100 * megabyte) },
  { id: "gzip bomb in JSON", answer: bomb("application/json", " ") },
  { id: "gzip bomb in events", answer: bomb("text/event-stream", "data:1\n\n") },
  { id: "tiny events without end", answer: flood(events, "data:1\n\n".repeat(65_536), 4000 * megabyte) },
  { id: "one event without end", answer: flood(events, `data: ${"x".repeat(1000)}\n`.repeat(500), 4000 * megabyte) },
  { id: "events without a line end", answer: flood(events, "x".repeat(megabyte), 4000 * megabyte) },
  { id: "comments without end", answer: flood(events, ": keep\n\n".repeat(65_536), 4000 * megabyte) },
  { id: "events that drip without end", answer: drip(events, "data: 1\n\n", 100) },
  { id: "a body that drips without end", answer: drip(`${json}content-length: 1000000\r\n\r\n`, " ", 100) },
  { id: "a chunk size that drips", answer: drip(`${json}transfer-encoding: chunked\r\n\r\n5;`, "e", 100) },
  { id: "a head that drips", answer: drip("HTTP/1.1 200 OK\r\n", "x-a: b\r\n", 100) },
  { id: "interim answers without end", answer: flood("", "HTTP/1.1 100 Continue\r\n\r\n".repeat(1000), 4000 * megabyte) },
  { id: "silence", answer: () => {} },
  { id: "a close without an answer", answer: (socket) => socket.destroy() },
  { id: "both lengths", answer: body("{}", `${json}transfer-encoding: chunked\r\n`) },
  { id: "a length of 400 digits", answer: (socket) => socket.end(`${json}content-length: ${"9".repeat(400)}\r\n\r\n{}`) },
  { id: "bytes that are no HTTP", answer: (socket) => socket.end(Buffer.alloc(100_000, 0xff)) },
  { id: "limit 2147483647", answer: limitOf("2147483647") },
  { id: "limit 1e9", answer: limitOf("1000000000") },
  { id: "limit of 400 digits", answer: limitOf("9".repeat(400)) },
  { id: "limit 0", answer: limitOf("0") },
  { id: "limit -1", answer: limitOf("-1") },
  { id: "limit 60, remaining 0 always", answer: limitOf("60", "0") },
  { id: "remaining counts up", answer: (socket) => limitOf("60", String((counted += 1)))(socket) },
  {
    id: "429, Retry-After of a year",
    answer: limited({ "retry-after": "31536000" }, "429 Too Many Requests", '{"retry-after":31536000}'),
  },
  { id: "429, Retry-After -5", answer: limited({ "retry-after": "-5" }, "429 Too Many Requests", '{"retry-after":-5}') },
  { id: "503, Retry-After of a year", answer: limited({ "retry-after": "31536000" }, "503 Service Unavailable", "{}") },
  { id: "redirects to itself", answer: limited({ location: "/v1/models" }, "307 Temporary Redirect") },
  {
    id: "the key in answers",
    answer: (socket, { head }) => {
      const key = /authorization: *(?:bearer *)?(\S+)/i.exec(head)?.[1] ?? "none";
      const said = [key, Buffer.from(key).toString("base64"), Array.from(key, (letter) => `&#${letter.charCodeAt(0)};`).join("")];
      body(JSON.stringify({ object: "list", data: said.map((id) => ({ id })), error: { code: key, message: said.join(" ") } }))(
        socket,
      );
    },
  },
  {
    id: "terminal and page in texts",
    answer: body('{"object":"list","data":[{"id":"\\u001b[2J\\u001b]0;x\\u0007<script>alert(1)</script>\\n::error::x"}]}'),
  },
];

/** Those that together touch every bound, and end within seconds each. */
export const quickAttacks: readonly string[] = [
  "JSON nested 100,000 deep",
  "gzip bomb in events",
  "tiny events without end",
  "one event without end",
  "a chunk size that drips",
  "limit 2147483647",
];
