import type { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { createCaptureAccount } from "../../../src/wire/capture/capture-account.ts";
import { memoryInUse } from "../../make/memory-in-use.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { bothClients } from "../both-clients.ts";
import { serveAnswers } from "../../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../../make/wire/wire-to.ts";
import type { WireOptions } from "../../../src/wire/client/wire-options.ts";

const head = "HTTP/1.1 200 OK\r\nconnection: close\r\n";
const eventHead = `${head}content-type: text/event-stream\r\n`;

/** Writes the same piece for as long as somebody reads, at most so many bytes. */
function flood(socket: Socket, piece: string, bytes: number): void {
  let sent = 0;
  const more = (): void => {
    if (socket.destroyed) return;
    sent += piece.length;
    if (sent < bytes) socket.write(piece, more);
    else socket.end(piece);
  };
  more();
}

/** Bytes of buffers that something still holds. Decompressors close in a later turn. */
async function heldBuffers(): Promise<number> {
  await nextTurn();
  return memoryInUse().arrayBuffers;
}

describe.each(bothClients)("the bounds of a body over $client", ({ stage }) => {
  async function exchangeWith(
    answer: (socket: Socket) => void,
    { target = {}, ...options }: Partial<WireOptions> & { readonly target?: object; readonly timeoutMs?: number } = {},
  ): Promise<Exchange> {
    const server = await serveAnswers((socket) => answer(socket));
    const manifest = testManifest(server.url, { timeoutMs: 2000 });
    const bounded = { ...manifest, target: { ...manifest.target, ...target } };
    return wireTo(server.url, { ...options, manifest: bounded }).send({ ...streamedChat, stage });
  }

  it("end a flood of tiny events, an event without end and a line without end, each with its reason", async () => {
    const tiny = "data:1\n\n".repeat(8000);
    const many = await exchangeWith((socket) => flood(socket, `${eventHead}\r\n${tiny}`, 64e6), {
      target: { maxEvents: 5000 },
    });
    expect(many.failure).toEqual({ kind: "too-large", message: "the stream was cut: it has more than 5000 events" });
    expect(many.response?.stream?.events).toHaveLength(5000);
    const reason = { kind: "too-large", message: "the stream was cut: it has an event of more than 65536 characters" };
    for (const piece of [
      "data: x\n".repeat(5000),
      `data: ${"x".repeat(60_000)}`,
      ": comment\ndata: 1\n".repeat(2000),
      "x".repeat(40_000),
    ]) {
      const endless = await exchangeWith(
        (socket) => {
          socket.write(`${eventHead}\r\ndata: first\n\n`);
          flood(socket, piece, 64e6);
        },
        { captureBytes: 65_536 },
      );
      expect(endless.failure).toEqual(reason);
      expect(endless.response?.stream?.events.map(({ data }) => data)).toEqual(["first"]);
      expect(endless.response?.stream?.bytes).toBeLessThan(1e6);
    }
  });

  it("end a compressed body at what it unfolds to, a stream at its events", async () => {
    const bomb = gzipSync(Buffer.alloc(40e6, "data:1\n\n"));
    for (const type of ["application/json", "text/event-stream"]) {
      const before = await heldBuffers();
      const { response, failure } = await exchangeWith((socket) => {
        socket.write(`${head}content-type: ${type}\r\ncontent-encoding: gzip\r\ncontent-length: ${bomb.length}\r\n\r\n`);
        socket.end(bomb);
      });
      expect(failure).toBeNull();
      expect(response?.body ?? response?.stream).toMatchObject({ bytes: bomb.length });
      expect(response?.body?.truncated ?? response?.stream?.events.length === 0).toBe(true);
      expect((await heldBuffers()) - before).toBeLessThan(30e6);
    }
    const stream = gzipSync(Buffer.from("data:1\n\n".repeat(1000)));
    const cut = await exchangeWith(
      (socket) => {
        socket.write(`${eventHead}content-encoding: gzip\r\ncontent-length: ${stream.length}\r\n\r\n`);
        socket.end(stream);
      },
      { target: { maxEvents: 100 } },
    );
    expect(cut.failure).toEqual({ kind: "too-large", message: "the stream was cut: it has more than 100 events" });
    const folded = Array.from({ length: 40 }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from("{}"));
    const nested = await exchangeWith((socket) => {
      const codings = Array.from({ length: 40 }, () => "gzip").join(", ");
      socket.write(`${head}content-type: application/json\r\ncontent-encoding: ${codings}\r\n`);
      socket.write(`content-length: ${folded.length}\r\n\r\n`);
      socket.end(folded);
    });
    expect(nested.response?.body).toMatchObject({ base64: "", truncated: true });
  });

  it("give up a body by its bytes and times as the manifest says, framing that drips included", async () => {
    const large = await exchangeWith((socket) => flood(socket, `${head}\r\n${"x".repeat(65_536)}`, 64e6), {
      target: { maxBodyBytes: 100_000 },
    });
    expect(large.failure).toEqual({ kind: "too-large", message: "the response body exceeds 100000 bytes (target.maxBodyBytes)" });
    const silent = await exchangeWith((socket) => socket.write(`${head}content-length: 9\r\n\r\nab`), {
      target: { bodyIdleMs: 150 },
    });
    expect(silent.failure).toEqual({
      kind: "stream-timeout",
      message: "nothing came within 0.15 s, the time-out of this target",
      bound: { until: "bytes", ms: 150 },
    });
    const drip = await exchangeWith(
      (socket) => {
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n5;`);
        const timer = setInterval(() => socket.write("e"), 30);
        socket.on("close", () => clearInterval(timer));
      },
      { target: { timeoutMs: 300, bodyIdleMs: 5000, bodyTotalMs: 400 } },
    );
    expect(drip.failure).toEqual({
      kind: "stream-timeout",
      message: "not finished within 0.7 s, the time-out of this target",
      bound: { until: "end", ms: 700 },
    });
  });

  it("hold for all answers together: what the run has no room for is cut, and says so", async () => {
    const account = createCaptureAccount(100_000);
    const options = stage === "load" ? { loadBytes: 60_000 } : { account };
    const body = await exchangeWith((socket) => socket.end(`${head}\r\n${"x".repeat(300_000)}`), options);
    // The target of a load did nothing wrong: we gave the request up.
    const givenUp = { kind: "aborted", message: "given up: there is no room for more answers under way" };
    if (stage === "load") {
      expect(body.failure).toEqual(givenUp);
      const many = Array.from({ length: 9000 }, (_, number) => `data:${number}${"y".repeat(number % 20)}\n\n`).join("");
      const stream = await exchangeWith((socket) => flood(socket, `${eventHead}\r\n${many}`, 70_000), options);
      expect(stream.failure).toEqual(givenUp);
      return;
    }
    expect(body.failure).toBeNull();
    expect(body.response?.body).toMatchObject({ bytes: 300_000, truncated: true });
    expect(body.response?.body?.text?.length).toBeLessThan(100_000);
    account.release(account.heldBytes);
    const small = gzipSync("x".repeat(150_000));
    const unfolded = await exchangeWith((socket) => {
      socket.write(`${head}content-type: text/plain\r\ncontent-encoding: gzip\r\ncontent-length: ${small.length}\r\n\r\n`);
      socket.end(small);
    }, options);
    expect(unfolded.response?.body).toMatchObject({ bytes: small.length, base64: "", truncated: true });
    account.release(account.heldBytes);
    const stream = await exchangeWith((socket) => flood(socket, `${eventHead}\r\n${"data:1\n\n".repeat(9000)}`, 70_000), options);
    expect(stream.failure).toEqual({ kind: "too-large", message: "the stream was cut: it has more than the run has room for" });
    expect(account.heldBytes).toBeLessThanOrEqual(100_000);
  });
});
