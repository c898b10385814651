import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { onRequest, serveTcp, serveTls } from "../../make/wire/test-server.ts";
import { modelsRequest, wireTo } from "../../make/wire/wire-to.ts";

/**
 * All connections for load are read into one memory. Answers whose every line names the answer, sent in small pieces over
 * hundreds of connections at once, show whether a record keeps anything of it.
 */
const connections = 200;
/** The bound ends a test that hangs: hundreds of handshakes at once take a busy machine longer than any target may. */
const hangMs = 300_000;
const rounds = 4;
const shapes = ["length", "chunked", "events", "close", "binary"] as const;
type Shape = (typeof shapes)[number];

const request: Omit<SendRequest, "path"> = {
  ...modelsRequest,
  stage: "load",
};

const linesOf = (name: string): readonly string[] =>
  Array.from({ length: 40 }, (_, line) => `${name} says ${line} \u20ac\u{1F600}`);

/** The body of one answer: everything in it states which it is. */
function bodyOf(name: string, shape: Shape): Buffer {
  const lines = linesOf(name);
  if (shape === "events") return Buffer.from(lines.map((line) => `event: ${name}\nid: ${name}\ndata: ${line}\n\n`).join(""));
  if (shape === "binary") return Buffer.concat(lines.map((line) => Buffer.concat([Buffer.of(0xff, 0x00), Buffer.from(line)])));
  return Buffer.from(lines.join("\n"));
}

function answerOf(name: string, shape: Shape): Buffer {
  const body = bodyOf(name, shape);
  const type = shape === "events" ? "text/event-stream" : "text/plain";
  const head = `HTTP/1.1 200 OK\r\nx-name: ${name}\r\ncontent-type: ${type}\r\n`;
  if (shape === "close") return Buffer.concat([Buffer.from(`${head}\r\n`), body]);
  if (shape !== "chunked" && shape !== "events")
    return Buffer.concat([Buffer.from(`${head}content-length: ${body.length}\r\n\r\n`), body]);
  const parts: Buffer[] = [Buffer.from(`${head}transfer-encoding: chunked\r\n\r\n`)];
  for (let at = 0; at < body.length; at += 97) {
    const piece = body.subarray(at, at + 97);
    parts.push(Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n"));
  }
  return Buffer.concat([...parts, Buffer.from("0\r\n\r\n")]);
}

/** Answers `/ROUND-NUMBER-SHAPE` in pieces that differ from answer to answer, with turns of the loop between them. */
function answerInPieces(socket: Socket): void {
  socket.on("error", () => {});
  socket.setNoDelay(true);
  onRequest(socket, (text) => {
    const [, name = "", seed = "0", shape = "length"] = /^GET \/((?:\d+)-(\d+)-(\w+)) /.exec(text) ?? [];
    const bytes = answerOf(name, shape as Shape);
    const step = 20 + ((Number(seed) * 37) % 400);
    let at = 0;
    const next = (): void => {
      if (socket.destroyed) return;
      socket.write(bytes.subarray(at, at + step));
      at += step;
      if (at < bytes.length) setImmediate(next);
      else if (shape === "close") socket.end();
    };
    next();
  });
}

function expectOwn({ response, failure }: Exchange, name: string, shape: Shape): void {
  expect(failure).toBeNull();
  expect(response?.headers[0]).toEqual(["x-name", name]);
  if (shape === "events") {
    const reported = response?.stream?.events.map(({ event, id, data }) => [event, id, data]);
    expect(reported).toEqual(linesOf(name).map((line) => [name, name, line]));
  } else if (shape === "binary") expect(response?.body?.base64).toBe(bodyOf(name, shape).toString("base64"));
  else expect(response?.body?.text).toBe(bodyOf(name, shape).toString());
}

/** How many answers were read and kept as they were. */
async function readAll(url: string): Promise<number> {
  const manifest = testManifest(url, { timeoutMs: hangMs, tls: { rejectUnauthorized: false } });
  const wire = wireTo(url, { manifest, maxConnections: connections, connectTimeoutMs: hangMs });
  const read: { readonly exchange: Exchange; readonly name: string; readonly shape: Shape; readonly recorded: string }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    await Promise.all(
      Array.from({ length: connections }, async (_, number) => {
        const shape = shapes[(number + round) % shapes.length] ?? "length";
        const name = `${round}-${number}-${shape}`;
        const exchange = await wire.send({ ...request, path: `/${name}` });
        expectOwn(exchange, name, shape);
        read.push({ exchange, name, shape, recorded: JSON.stringify(exchange) });
      }),
    );
  }
  // Nothing that was recorded has changed since, whatever was read into the memory after it.
  for (const { exchange, name, shape, recorded } of read) {
    expect(JSON.stringify(exchange)).toBe(recorded);
    expectOwn(exchange, name, shape);
  }
  return read.length;
}

describe("hundreds of answers that are read into the same memory do not mix", () => {
  it("in plain text", { timeout: hangMs }, async () => {
    const server = await serveTcp(answerInPieces);
    expect(await readAll(server.url)).toBe(rounds * connections);
  });

  it("over TLS", { timeout: hangMs }, async () => {
    const server = await serveTls(answerInPieces);
    expect(await readAll(server.url)).toBe(rounds * connections);
  });
});
