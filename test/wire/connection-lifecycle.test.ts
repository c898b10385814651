import { once } from "node:events";
import type { Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import type { Wire } from "../../src/wire/client/wire.ts";
import { bothClients } from "./both-clients.ts";
import { onRequest, serveAnswers, serveTcp } from "../make/wire/test-server.ts";
import { keep } from "../make/keep.ts";
import { streamedChat, wireTo } from "../make/wire/wire-to.ts";

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
/** Long enough that a machine under load is not taken for a silent server. */
const timeoutMs = 5000;

/** Some time, and as many polls of a busy loop as it takes for what was on its way to be read. */
async function pause(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds));
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** A server in a thread of its own, which ends each connection after its first answer, without a word, and counts the ends. */
async function serveInThread(ends: Int32Array): Promise<{ readonly url: string; close(): Promise<void> }> {
  const thread = new Worker(
    `const { parentPort, workerData } = require("node:worker_threads");
    const server = require("node:net").createServer((socket) => {
      socket.on("error", () => {});
      socket.once("data", () => {
        socket.write(${JSON.stringify(ok)});
        setTimeout(() => socket.end(() => {
          Atomics.add(workerData, 0, 1);
          Atomics.notify(workerData, 0);
        }), 5);
      });
    });
    server.listen(0, "127.0.0.1", () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: ends },
  );
  const [port] = (await once(thread, "message")) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      await thread.terminate();
    },
  };
}

describe.each(bothClients)("over $client", ({ stage }) => {
  const request: SendRequest = { ...streamedChat, stage };
  const outcomes = (exchanges: readonly Exchange[]): unknown =>
    exchanges.map(({ failure, connection }) => [failure?.kind ?? "ok", connection?.reused]);
  const sendInTurn = async (wire: Wire, count: number, pauseMs = 0): Promise<readonly Exchange[]> => {
    const exchanges: Exchange[] = [];
    for (let turn = 0; turn < count; turn += 1) {
      exchanges.push(await wire.send(request));
      if (pauseMs > 0) await pause(pauseMs);
    }
    return exchanges;
  };

  describe("an idle connection", () => {
    it.each([
      ["ended", (socket: Socket): unknown => socket.end()],
      ["reset", (socket: Socket): unknown => socket.resetAndDestroy()],
    ])("that the server %s is replaced", async (_how, close) => {
      const server = await serveAnswers((socket) => {
        socket.write(ok);
        setTimeout(() => close(socket), 5);
      });
      expect(outcomes(await sendInTurn(wireTo(server.url, { timeoutMs }), 4, 30))).toEqual(
        Array.from({ length: 4 }, () => ["ok", false]),
      );
      expect(server.connections()).toBe(4);
    });

    it("that the server ended while this process was busy is replaced before anything is written to it", async () => {
      const ends = new Int32Array(new SharedArrayBuffer(4));
      const server = keep(await serveInThread(ends));
      const wire = wireTo(server.url, { timeoutMs });
      expect((await wire.send(request)).failure).toBeNull();
      for (let turn = 0; turn < 10; turn += 1) {
        const exchange = await new Promise<Exchange>((resolve, reject) => {
          // The end of the connection arrives, and is not read before the next request is asked for.
          setTimeout(() => {
            if (Atomics.load(ends, 0) <= turn) Atomics.wait(ends, 0, turn, 10_000);
            wire.send(request).then(resolve, reject);
          }, 0);
        });
        expect([exchange.failure, exchange.connection?.reused]).toEqual([null, false]);
      }
    });

    it("is used until shortly before the server said that it would close it", async () => {
      const reused = async (field: string, pauseMs: number): Promise<unknown> => {
        const server = await serveAnswers((socket) => {
          socket.write(`HTTP/1.1 200 OK\r\n${field}\r\ncontent-length: 2\r\n\r\nok`);
        });
        return outcomes(await sendInTurn(wireTo(server.url, { timeoutMs }), 2, pauseMs));
      };
      const [kept, replaced] = [true, false].map((second) => [
        ["ok", false],
        ["ok", second],
      ]);
      expect(
        await Promise.all([
          reused("Keep-Alive: timeout=60", 20),
          reused("keep-alive: timeout=3, max=100", 20),
          reused("keep-alive: timeout=3", 1300),
          reused("keep-alive: timeout=1", 5),
          reused("keep-alive: timeout=2", 5),
          reused("keep-alive: max=1", 5),
        ]),
      ).toEqual([kept, kept, replaced, replaced, replaced, replaced]);
    });

    it("that was opened ahead and closed by the server is replaced", async () => {
      const server = await serveTcp((socket) => {
        if (server.connections() === 1) setTimeout(() => socket.end(), 10);
        onRequest(socket, () => socket.write(ok));
      });
      const wire = wireTo(server.url, { timeoutMs });
      expect(await wire.warm(1, stage)).toEqual({ opened: 1, failures: [] });
      await pause(50);
      expect(outcomes([await wire.send(request)])).toEqual([["ok", false]]);
    });
  });

  describe("what follows an answer", () => {
    it.each([
      ["in the same piece", 0],
      ["later", 5],
    ])("%s belongs to no request, and ends the connection", async (_when, delayMs) => {
      const extra = "HTTP/1.1 500 Wrong\r\ncontent-length: 5\r\n\r\nwrong";
      const server = await serveAnswers((socket) => {
        if (delayMs === 0) socket.write(`${ok}${extra}`);
        else {
          socket.write(ok);
          setTimeout(() => socket.write(extra), delayMs);
        }
      });
      const exchanges = await sendInTurn(wireTo(server.url, { timeoutMs }), 3, 30);
      expect(outcomes(exchanges)).toEqual(Array.from({ length: 3 }, () => ["ok", false]));
      expect(exchanges.map(({ response }) => response?.status)).toEqual([200, 200, 200]);
    });

    it("as empty lines does not matter", async () => {
      const server = await serveAnswers((socket) => {
        socket.write(`${ok}\r\n`);
        setTimeout(() => socket.write("\r\n"), 5);
      });
      expect(outcomes(await sendInTurn(wireTo(server.url, { timeoutMs }), 3, 30))).toEqual([
        ["ok", false],
        ["ok", true],
        ["ok", true],
      ]);
    });

    it("may be the end of the server's side only", async () => {
      const server = await serveTcp((socket) => {
        socket.allowHalfOpen = true;
        onRequest(socket, () => socket.end(ok));
      });
      expect(outcomes(await sendInTurn(wireTo(server.url, { timeoutMs }), 3, 10))).toEqual(
        Array.from({ length: 3 }, () => ["ok", false]),
      );
    });
  });

  describe("a server that speaks before it is asked", () => {
    it("is reported as no HTTP", async () => {
      const server = await serveTcp((socket) => void socket.write("SSH-2.0-OpenSSH_9.6\r\n"));
      const wire = wireTo(server.url, { timeoutMs });
      expect((await wire.send({ ...request, timeoutMs: 500 })).failure?.kind).toBeDefined();
      if (stage === "load")
        expect((await wire.send(request)).failure).toMatchObject({ kind: "invalid-http", message: "the answer is not HTTP" });
    });
  });

  describe("a large upload", () => {
    const body = { kind: "raw", bytes: Buffer.alloc(8_000_000, "x"), contentType: "text/plain" } as const;
    const refusal = "HTTP/1.1 413 Content Too Large\r\nconnection: close\r\ncontent-length: 3\r\n\r\nbig";

    it("that is answered before it was sent is that answer, and the next request gets another connection", async () => {
      const server = await serveTcp((socket) => {
        socket.once("data", (bytes: Buffer) => {
          if (bytes.includes("content-length: 8000000")) {
            socket.write(refusal);
            // As servers do that mean their answer to be read: the rest is thrown away for a while.
            socket.on("data", () => {});
            setTimeout(() => socket.end(), 30);
          } else socket.write(ok);
        });
      });
      const wire = wireTo(server.url, { timeoutMs });
      const first = await wire.send({ ...request, body });
      expect([first.failure, first.response?.status, first.response?.body?.text]).toEqual([null, 413, "big"]);
      expect(outcomes([await wire.send(request)])).toEqual([["ok", false]]);
    });

    it("that is reset halfway is a closed connection", async () => {
      const server = await serveTcp((socket) => {
        let bytes = 0;
        socket.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          if (bytes > 1_000_000) socket.resetAndDestroy();
        });
      });
      const { failure } = await wireTo(server.url, { timeoutMs }).send({ ...request, body });
      expect(failure).toEqual({ kind: "connection-closed", message: "the connection was reset before the response head" });
    });

    it("that nobody reads ends with the deadline", async () => {
      const server = await serveTcp((socket) => void socket.pause());
      const wire = wireTo(server.url, { timeoutMs: 200 });
      expect((await wire.send({ ...request, body })).failure).toEqual({
        kind: "timeout",
        message: "no response head within 0.2 s, the time-out of this target",
        bound: { until: "head", ms: 200 },
      });
    });
  });

  describe("giving up", () => {
    const stages: readonly (readonly [string, string, string | null, string])[] = [
      ["before the head", "", null, "timeout"],
      ["within the head", "HTTP/1.1 200 OK\r\ncontent-le", null, "timeout"],
      ["between head and body", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n", "", "stream-timeout"],
      ["within the body", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nab", "ab", "stream-timeout"],
      ["within a chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab", "ab", "stream-timeout"],
      ["before the last chunk", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n", "ab", "stream-timeout"],
      ["before the close", "HTTP/1.1 200 OK\r\n\r\nab", "ab", "stream-timeout"],
    ];

    it.each(stages)("%s by deadline, by signal or with the wire keeps what was received", async (_when, bytes, text, kind) => {
      let giveUp: () => void = () => undefined;
      const server = await serveAnswers((socket) => {
        if (bytes !== "") socket.write(bytes);
        // Not by a timer from the sending: a busy machine may not have read the bytes by then.
        const ofThisRequest = giveUp;
        void pause(20).then(() => ofThisRequest());
      });
      const wire = wireTo(server.url, { timeoutMs });
      const late = await wire.send({ ...request, timeoutMs: 150 });
      expect([late.failure?.kind, late.response?.body?.text ?? null]).toEqual([kind, text]);
      const controller = new AbortController();
      giveUp = () => controller.abort();
      const stopped = await wire.send({ ...request, signal: controller.signal });
      expect([stopped.failure, stopped.response?.body?.text ?? null]).toEqual([
        { kind: "aborted", message: "the request was given up" },
        text,
      ]);
      giveUp = () => void wire.close();
      const closed = await wire.send(request);
      expect([closed.failure, closed.response?.body?.text ?? null]).toEqual([
        { kind: "aborted", message: "the wire was closed" },
        text,
      ]);
    });

    it("while connecting leaves no connection behind", async () => {
      // A TLS handshake that never goes on is a connection that is never there.
      const sockets = new Set<Socket>();
      const server = await serveTcp((socket) => {
        sockets.add(socket.resume());
        socket.on("close", () => sockets.delete(socket));
      });
      const wire = wireTo(server.url.replace("http:", "https:"), { timeoutMs: 600 });
      const signals = [AbortSignal.timeout(50), AbortSignal.abort()];
      const given = await Promise.all(signals.map((signal) => wire.send({ ...request, signal })));
      expect(given.map(({ failure, connection }) => [failure?.kind, connection])).toEqual([
        ["aborted", null],
        ["aborted", null],
      ]);
      const pending = Promise.all([wire.send(request), wire.burst([request])]);
      setTimeout(() => void wire.close(), 50);
      expect((await pending).flat().map(({ failure }) => failure?.kind)).toEqual(["aborted", "aborted"]);
      await expect.poll(() => sockets.size).toBe(0);
    });
  });

  it.each([
    ["keeps the connection", "x: y"],
    ["closes the connection", "connection: close"],
    ["says when it will close the connection", "keep-alive: max=3"],
  ])("a request that follows at once from the end of one is sent where the server %s", async (_how, field) => {
    const server = await serveAnswers((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${field}\r\ncontent-length: 2\r\n\r\nok`);
    });
    const followed: Promise<Exchange>[] = [];
    let asked = 0;
    const wire = wireTo(server.url, {
      timeoutMs,
      onExchange: () => {
        asked += 1;
        if (asked <= 20) followed.push(wire.send(request));
      },
    });
    await wire.send(request);
    for (let at = 0; at < followed.length; at += 1) expect((await followed[at])?.failure).toBeNull();
    expect(followed).toHaveLength(20);
  });

  it("a thousand requests leave no listener behind, and answers no memory", async () => {
    const server = await serveAnswers((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: 2000\r\n\r\n${"x".repeat(2000)}`);
    });
    const wire = wireTo(server.url, { timeoutMs });
    const warnings: Error[] = [];
    const hear = (warning: Error): void => void warnings.push(warning);
    process.on("warning", hear);
    const kinds = new Set<string>();
    for (let turn = 0; turn < 1000; turn += 1) kinds.add((await wire.send({ ...request, connection: 1 })).failure?.kind ?? "ok");
    await pause(0);
    process.off("warning", hear);
    expect([...kinds]).toEqual(["ok"]);
    expect(warnings).toEqual([]);
    expect(server.connections()).toBe(1);
  });
});

describe("an engineer who reads why there is no answer", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  const broken: readonly (readonly [string, (socket: Socket) => unknown])[] = [
    ["closed at once", (socket) => socket.end()],
    ["reset at once", (socket) => socket.resetAndDestroy()],
    ["closed within the head", (socket) => socket.end(`${head}content-len`)],
    ["closed within the body", (socket) => socket.end(`${head}content-length: 10\r\n\r\nab`)],
    ["closed within a chunk", (socket) => socket.end(`${head}transfer-encoding: chunked\r\n\r\n5\r\nab`)],
    [
      "closed within a chunk, as announced",
      (socket) => socket.end(`${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n5\r\nab`),
    ],
    ["not HTTP", (socket) => socket.write("220 mail.example ESMTP\r\n")],
    ["HTML without a head", (socket) => socket.end("<html><body>busy</body></html>\n")],
    ["a head that is too large", (socket) => socket.write(`${head}${"x: y\r\n".repeat(40_000)}\r\n`)],
    ["another protocol", (socket) => socket.write("HTTP/1.1 101 x\r\nconnection: upgrade\r\nupgrade: h2c\r\n\r\n")],
    ["silence", () => {}],
    ["silence after the head", (socket) => socket.write(`${head}content-length: 10\r\n\r\n`)],
  ];

  it.each(broken)("is reported the same by both clients: %s", async (what, answer) => {
    const server = await serveAnswers(answer);
    // Only silence is ended by a deadline; before it a head has arrived, however busy this machine is.
    const wire = wireTo(server.url, { timeoutMs: what.startsWith("silence") ? 2000 : 60_000 });
    const [one, other] = await Promise.all(
      bothClients.map(async ({ stage }) => (await wire.send({ ...streamedChat, stage })).failure),
    );
    expect(other).toEqual(one);
    expect(other?.message).toMatch(/^[a-z]/i);
  });
});
