import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Socket } from "node:net";
import type { BrokenAnswer, ChangedAnswer, LawfulAnswer, Operation } from "./broken-answer.ts";

export interface BrokenGateway {
  readonly url: string;
  /** From now on answers are broken in this way. */
  readonly breakAs: (broken: BrokenAnswer) => void;
  readonly close: () => Promise<void>;
}

/** A server before the correct service that writes bytes of its own in place of some answers. */
export async function startBrokenGateway(upstream: string): Promise<BrokenGateway> {
  const agent = new Agent({ keepAlive: true });
  let broken: BrokenAnswer | null = null;
  let ordinal = 0;
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const { operation, lawful } = await askBehind(incoming, outgoing, upstream, agent);
    if (broken === null || operation !== broken.of) {
      outgoing.writeHead(lawful.status, lawful.headers).end(lawful.body);
      return;
    }
    writeChanged(outgoing.socket!, lawful, broken.change(lawful, ordinal));
    ordinal += 1;
  };
  const server = createServer((incoming, outgoing) => {
    answer(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    breakAs: (next) => {
      broken = next;
      ordinal = 0;
    },
    close: async () => {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function askBehind(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  upstream: string,
  agent: Agent,
): Promise<{ readonly operation: Operation | null; readonly lawful: LawfulAnswer }> {
  const { method = "GET", url: path = "/" } = incoming;
  const sent = await readAll(incoming);
  const { host: _host, ...headers } = incoming.headers;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const behind = request(new URL(path, upstream), { method, headers, agent }, resolve);
    behind.on("error", reject);
    outgoing.on("close", () => behind.destroy());
    behind.end(sent);
  });
  const body = await readAll(answer);
  const status = answer.statusCode ?? 502;
  const streamed = String(answer.headers["content-type"]).startsWith("text/event-stream");
  const { "transfer-encoding": _framing, connection: _connection, "keep-alive": _kept, ...fields } = answer.headers;
  const flat = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  return { operation: operationOf(path, status, streamed), lawful: { path, status, headers: flat, body } };
}

const operations: Readonly<Record<string, Operation>> = {
  "/v1/chat/completions": "chat",
  "/v1/embeddings": "embeddings",
  "/v1/images/generations": "images",
  "/v1/audio/transcriptions": "audio",
  "/v1/models": "models",
  "/v1/usage": "usage",
};

function operationOf(path: string, status: number, streamed: boolean): Operation | null {
  if (status >= 400) return `error-${status}` as Operation;
  return streamed ? "stream" : (operations[path.split("?", 1)[0] ?? ""] ?? null);
}

/** Each changed answer is the last of its connection: the server does not know that it was given. */
function writeChanged(socket: Socket, lawful: LawfulAnswer, change: ChangedAnswer): void {
  const { status = lawful.status, framing = "length", isReset = false } = change;
  const end = (bytes: Buffer): void => {
    if (isReset) socket.write(bytes, () => setImmediate(() => socket.resetAndDestroy()));
    else socket.end(bytes);
  };
  if (change.raw !== undefined) {
    end(Buffer.from(change.raw));
    return;
  }
  const body = Buffer.from(change.body ?? lawful.body);
  const { "content-length": _length, ...kept } = lawful.headers;
  const fields = Object.entries({ ...kept, connection: "close", ...framingOf(framing, body), ...change.headers });
  const lines = fields.flatMap(([name, value]) => (value === null ? [] : [value].flat().map((one) => `${name}: ${one}\r\n`)));
  const head = Buffer.from(`HTTP/1.1 ${status} Status\r\n${lines.join("")}\r\n`, "latin1");
  if (framing === "chunked" || framing === "unfinished") end(Buffer.concat([head, chunked(body, framing === "chunked")]));
  else end(Buffer.concat([head, body]));
}

function framingOf(framing: ChangedAnswer["framing"], body: Buffer): Readonly<Record<string, string>> {
  if (framing === "close") return {};
  if (framing === "chunked" || framing === "unfinished") return { "transfer-encoding": "chunked" };
  return { "content-length": String(typeof framing === "object" ? framing.length : body.length) };
}

function chunked(body: Buffer, isEnded: boolean): Buffer {
  const end = isEnded ? "0\r\n\r\n" : "";
  return Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from(`\r\n${end}`)]);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
