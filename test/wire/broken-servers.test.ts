import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import type { WireOptions } from "../../src/wire/client/wire-options.ts";
import { bothClients } from "./both-clients.ts";
import { testManifest } from "../make/test-manifest.ts";
import { serveAnswers, serveTcp } from "../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../make/wire/wire-to.ts";

/** Silence that is long enough to call a server silent. */
const timeoutMs = 300;
const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n";
const eventStream = `${chunked}content-type: text/event-stream\r\n\r\n`;
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`;

/** Sockets that can be read are read in each turn of the loop. */
function afterTurns(count: number, action: () => void): void {
  if (count === 0) action();
  else setImmediate(() => afterTurns(count - 1, action));
}

describe.each(bothClients)("over $client", ({ stage }) => {
  const request: SendRequest = { ...streamedChat, stage };

  /** One exchange with a server that answers every request with these bytes. */
  async function exchangeWith(
    answer: (socket: Socket, ordinal: number) => void,
    options: Partial<WireOptions> = {},
  ): Promise<Exchange> {
    const server = await serveAnswers((socket, _text, ordinal) => answer(socket, ordinal));
    return wireTo(server.url, { timeoutMs, ...options }).send(request);
  }

  describe("a response head", () => {
    it("that never comes is a timeout, and the connection is not used again", async () => {
      const server = await serveAnswers(() => {});
      const wire = wireTo(server.url, { timeoutMs });
      const first = await wire.send(request);
      expect(first.failure).toMatchObject({ kind: "timeout", bound: { until: "head", ms: 300 } });
      expect(first.timing.headersMs).toBeNull();
      // The time to connect is within the allowance.
      expect(first.timing.endMs - first.timing.sentMs).toBeGreaterThan(100);
      expect((await wire.send(request)).connection?.reused).toBe(false);
    });

    it.each([
      ["no status line", "BANANA\r\n\r\n"],
      ["a space in a field name", "HTTP/1.1 200 OK\r\nx y: z\r\ncontent-length: 0\r\n\r\n"],
      ["two lengths", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab"],
      ["a length and chunks", "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n"],
      ["bare line feeds", "HTTP/1.1 200 OK\ncontent-length: 0\n\n"],
      ["a protocol nobody asked for", "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"],
      ["more than 500 fields", `HTTP/1.1 200 OK\r\ncontent-length: 0\r\n${"x: y\r\n".repeat(500)}\r\n`],
      ["more than 64 KiB", `HTTP/1.1 200 OK\r\n${`x: ${"y".repeat(8000)}\r\n`.repeat(9)}\r\n`],
    ])("with %s is invalid HTTP", async (_name, bytes) => {
      const { failure } = await exchangeWith((socket) => socket.write(bytes));
      expect(failure?.kind).toBe("invalid-http");
      expect(failure?.message.length).toBeLessThan(200);
    });

    it.each([
      ["220 mail.example ESMTP\r\n", "220 mail.example ESMTP"],
      ["\u0015\u0003\u0003\u0000\u0002\u0002F", "\u0015\u0003\u0003\u0000"],
      ["HTTP/1.1 2OO OK\r\ncontent-length: 0\r\n\r\n", "OO OK"],
    ])("that is no HTTP is recorded from where it cannot be read: %j", async (bytes, unreadable) => {
      const { failure } = await exchangeWith((socket) => socket.write(bytes));
      expect(failure).toMatchObject({ kind: "invalid-http", unreadable: expect.stringContaining(unreadable) });
    });

    it("may follow interim responses, and keeps repeated fields apart", async () => {
      const { response, failure } = await exchangeWith((socket) =>
        socket.write(
          "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\nSet-Cookie: a\r\nset-cookie: b\r\ncontent-length: 2\r\n\r\nok",
        ),
      );
      expect(failure).toBeNull();
      expect(response?.status).toBe(200);
      expect(response?.headers).toEqual([
        ["Set-Cookie", "a"],
        ["set-cookie", "b"],
        ["content-length", "2"],
      ]);
    });

    it("may follow a 100 Continue (RFC 9110 section 15.2), which is beyond undici and not blamed on the target", async () => {
      const { failure, response } = await exchangeWith((socket) =>
        socket.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
      );
      const refusal = { kind: "other", message: expect.stringContaining("the HTTP client does not accept") };
      if (stage === "load") expect([failure, response?.body?.text]).toEqual([null, "ok"]);
      else expect(failure).toMatchObject(refusal);
    });
  });

  describe("a connection that closes", () => {
    it("before the first response is the target's doing", async () => {
      expect((await exchangeWith((socket) => socket.end())).failure?.kind).toBe("connection-closed");
      expect((await exchangeWith((socket) => socket.resetAndDestroy())).failure).toEqual({
        kind: "connection-closed",
        message: "the connection was reset before the response head",
      });
    });

    it("on reuse before the head is reported as a race", async () => {
      const server = await serveAnswers((socket, _text, ordinal) => {
        if (ordinal === 0) socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
        else socket.resetAndDestroy();
      });
      const wire = wireTo(server.url, { timeoutMs });
      expect((await wire.send(request)).failure).toBeNull();
      const second = await wire.send(request);
      expect(second.failure?.kind).toBe("reused-connection-closed");
      expect(second.connection?.reused).toBe(true);
      expect((await wire.send(request)).failure).toBeNull();
    });

    it("after each response, announced or not, costs no request", async () => {
      for (const head of ["HTTP/1.1 200 OK\r\nconnection: close\r\n", "HTTP/1.1 200 OK\r\n"]) {
        const server = await serveAnswers((socket) => {
          socket.write(`${head}content-length: 2\r\n\r\nok`);
          socket.end();
        });
        const wire = wireTo(server.url, { timeoutMs });
        for (let turn = 0; turn < 5; turn += 1) {
          const exchange = await wire.send(request);
          expect(exchange.failure).toBeNull();
          expect(exchange.connection?.reused).toBe(false);
          // Time for the end of the connection to arrive, as between paced requests.
          await new Promise((resolve) => setTimeout(resolve, 3));
        }
        expect(server.connections()).toBe(5);
      }
    });

    it("after the number of requests it announced is closed by us first", async () => {
      const server = await serveAnswers((socket, _text, ordinal) => {
        // Constant total, as some servers announce it; the fourth request would be reset.
        if (ordinal === 3) socket.resetAndDestroy();
        else socket.write("HTTP/1.1 200 OK\r\nKeep-Alive: timeout=5, max=3\r\ncontent-length: 2\r\n\r\nok");
      });
      const wire = wireTo(server.url, { timeoutMs });
      const exchanges: Exchange[] = [];
      for (let turn = 0; turn < 9; turn += 1) exchanges.push(await wire.send(request));
      expect(exchanges.map(({ failure }) => failure)).toEqual(Array(9).fill(null));
      expect(server.connections()).toBe(3);
    });

    it("after each stream without a word is learnt from the first race", async () => {
      const server = await serveAnswers((socket) => {
        socket.write(`${eventStream}${chunk("data: 1\n\n")}0\r\n\r\n`);
        setTimeout(() => socket.end(), 1);
      });
      const wire = wireTo(server.url, { timeoutMs });
      const kinds: (string | undefined)[] = [];
      for (let turn = 0; turn < 12; turn += 1) kinds.push((await wire.send(request)).failure?.kind);
      // When the first one comes is up to the machine; none comes after it.
      expect(kinds.filter((kind) => kind !== undefined).length).toBeLessThanOrEqual(1);
    });

    it("within the body leaves an incomplete body", async () => {
      const short = await exchangeWith((socket) => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\npart"));
      expect(short.failure?.kind).toBe("incomplete-body");
      expect(short.response?.body).toMatchObject({ text: "part", bytes: 4 });
      const reset = await exchangeWith((socket) => {
        socket.write(`${chunked}\r\n${chunk("part")}`);
        // A reset throws away what was not read: the client, in this process, has its turns to read first.
        afterTurns(50, () => socket.resetAndDestroy());
      });
      expect(reset.failure).toEqual({
        kind: "incomplete-body",
        message: "the connection was reset before the body was complete",
      });
      expect(reset.response?.body?.text).toBe("part");
    });

    it("at the end of a body without a length is lawful", async () => {
      const { failure, response } = await exchangeWith((socket) =>
        socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nwhole"),
      );
      expect(failure).toBeNull();
      expect(response?.body?.text).toBe("whole");
    });
  });

  describe("a body", () => {
    it("that is too large is given up, and its beginning kept", async () => {
      const exchange = await exchangeWith(
        (socket) => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n");
          const more = (): void => {
            if (!socket.destroyed) socket.write("x".repeat(65_536), more);
          };
          more();
        },
        { maxResponseBytes: 300_000, captureBytes: 1000 },
      );
      expect(exchange.failure).toEqual({
        kind: "too-large",
        message: "the response body exceeds 300000 bytes (target.maxBodyBytes)",
      });
      expect(exchange.response?.body).toMatchObject({ truncated: true, text: "x".repeat(1000) });
    });

    it("that begins shortly before the total time is over and then falls silent ends at the total time", async () => {
      const server = await serveAnswers((socket) => {
        setTimeout(() => socket.write(eventStream), 400);
        setTimeout(() => socket.write(chunk("data: 1\n\n")), 600);
      });
      const { failure } = await wireTo(server.url, { timeoutMs }).send({
        ...request,
        timeoutMs: 650,
        totalTimeoutMs: 750,
      });
      expect(failure).toMatchObject({ kind: "stream-timeout", bound: { until: "end", ms: 750 } });
    });

    it("that drips is bounded by the total time, one that stops by the time between reads", async () => {
      const drip = await exchangeWith((socket) => {
        socket.write("HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n");
        const timer = setInterval(() => socket.write("x"), 40);
        socket.on("close", () => clearInterval(timer));
      });
      expect(drip.failure).toMatchObject({ kind: "stream-timeout", bound: { until: "end", ms: 1200 } });
      const silent = await exchangeWith((socket) => socket.write(`${eventStream}${chunk("data: 1\n\n")}`));
      expect(silent.failure).toMatchObject({ kind: "stream-timeout", bound: { until: "bytes", ms: 300 } });
      expect(silent.response?.stream?.events.map(({ data }) => data)).toEqual(["1"]);
    });

    it("is not given up because the run clock leapt while it was under way", async () => {
      let leapMs = 0;
      const real = createRealClock();
      const clock = { ...real, nowMs: () => real.nowMs() + leapMs };
      const { failure, timing } = await exchangeWith(
        (socket) => {
          socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab");
          setTimeout(() => {
            leapMs = 3_600_000;
            socket.write("cd");
          }, 20);
        },
        { clock },
      );
      expect(failure).toBeNull();
      expect(timing.endMs - timing.sentMs).toBeGreaterThan(3_600_000);
    });

    it("is kept as text or Base64, cut between characters, with no part of a secret at the cut", async () => {
      const secret = testManifest("http://127.0.0.1").keys["primary"]!.secret;
      const text = `${"é".repeat(30)}${secret}${"z".repeat(200)}`;
      for (let captureBytes = 50; captureBytes < 110; captureBytes += 1) {
        const { response } = await exchangeWith(
          (socket) => socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`),
          { captureBytes },
        );
        const kept = response!.body!;
        expect(kept).toMatchObject({ truncated: true, bytes: Buffer.byteLength(text) });
        expect(Buffer.byteLength(kept.text!)).toBeLessThanOrEqual(captureBytes);
        expect(kept.text).not.toContain(secret.slice(0, 10));
        expect(kept.text).not.toContain("\uFFFD");
      }
      const bytes = Buffer.concat([Buffer.from([0xff, 0xd8, 0, 1]), Buffer.from(secret), Buffer.from([0xff])]);
      const binary = await exchangeWith((socket) => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${bytes.length}\r\n\r\n`);
        socket.write(bytes);
      });
      const decoded = Buffer.from(binary.response!.body!.base64!, "base64");
      expect(decoded.length).toBe(bytes.length);
      expect(decoded.includes(secret)).toBe(false);
    });

    it("that is HTML is recorded as it is", async () => {
      const { response, failure } = await exchangeWith((socket) =>
        socket.write("HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 15\r\n\r\n<h1>nginx</h1>\n"),
      );
      expect(failure).toBeNull();
      expect(response).toMatchObject({ status: 502, body: { text: "<h1>nginx</h1>\n" }, stream: null });
    });
  });

  describe("an event stream", () => {
    it("over one-byte chunks and with invalid UTF-8 is read, counted and flagged", async () => {
      const text = "\uFEFFdata: a\r\n\r\n: ping\r\n\r\nevent: x\r\ndata: é\r\n\r\ndata: pending\r\n";
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0xff, 0x0a])]);
      const { response, failure } = await exchangeWith((socket) => {
        socket.write(eventStream);
        for (const byte of bytes) {
          socket.write("1\r\n");
          socket.write(Buffer.from([byte]));
          socket.write("\r\n");
        }
        socket.write("0\r\n\r\n");
      });
      expect(failure).toBeNull();
      expect(response?.stream).toMatchObject({ comments: 1, pendingAtEnd: true, validUtf8: false, bytes: bytes.length });
      expect(response?.stream?.events.map(({ event, data }) => [event, data])).toEqual([
        ["message", "a"],
        ["x", "é"],
      ]);
    });

    it("gives events of one read one stamp and one ordinal, and later reads later ones", async () => {
      const { response, timing } = await exchangeWith((socket) => {
        socket.write(`${eventStream}${chunk("data: 1\n\n")}${chunk("data: 2\n\n")}${chunk("data: 3\n\n")}`, () => {
          // The loop that both ends share may stand still for longer than the pause: it begins when the first part was read.
          afterTurns(5, () => setTimeout(() => socket.write(`${chunk("data: 4\n\n")}0\r\n\r\n`), 30));
        });
      });
      const [one, two, three, four] = response!.stream!.events;
      expect([two?.atMs, three?.atMs, two?.read, three?.read]).toEqual([one?.atMs, one?.atMs, one?.read, one?.read]);
      expect(four!.read).toBeGreaterThan(one!.read);
      expect(four!.atMs - one!.atMs).toBeGreaterThan(20);
      for (const event of response!.stream!.events) {
        expect(event.earliestMs).toBeLessThanOrEqual(event.latestMs!);
        expect(event.latestMs).toBeLessThanOrEqual(event.atMs);
      }
      expect(timing.headersMs).toBe(one?.atMs);
      expect(timing.endMs).toBe(four?.atMs);
    });
  });

  describe("giving up", () => {
    it("ends what is in flight and refuses what comes after", async () => {
      const controller = new AbortController();
      const server = await serveTcp(() => {});
      const wire = wireTo(server.url, { timeoutMs, signal: controller.signal });
      const pending = Promise.all([wire.send(request), wire.burst([request, request])]);
      setTimeout(() => controller.abort(), 30);
      const [sent, burst] = await pending;
      expect([sent, ...burst].map(({ failure }) => failure?.kind)).toEqual(["aborted", "aborted", "aborted"]);
      expect((await wire.send(request)).failure?.kind).toBe("aborted");
    });

    it("ends requests that still wait for a connection", async () => {
      const controller = new AbortController();
      const server = await serveTcp(() => {});
      const wire = wireTo(server.url, { timeoutMs, signal: controller.signal, maxConnections: 1 });
      const pending = Promise.all([
        wire.send(request),
        wire.send(request),
        wire.send({ ...request, connection: 7 }),
        wire.send({ ...request, connection: 7 }),
      ]);
      setTimeout(() => controller.abort(), 20);
      expect((await pending).map(({ failure }) => failure?.kind)).toEqual(Array(4).fill("aborted"));
      await wire.close();
    });
  });
});
