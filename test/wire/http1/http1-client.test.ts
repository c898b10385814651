import { describe, expect, it } from "vitest";
import type { HeaderList } from "../../../src/core/exchange/headers/header-list.ts";
import { type Connector, createConnector } from "../../../src/wire/connect/connector.ts";
import { createHeaderReader } from "../../../src/wire/http/header-reader.ts";
import { createHeadReader } from "../../../src/wire/http1/head-reader.ts";
import { Http1Client } from "../../../src/wire/http1/http1-client.ts";
import { ConnectionSlot } from "../../../src/wire/connection/connection-slot.ts";
import { ServerHabits } from "../../../src/wire/connection/server-habits.ts";
import type { SlotRequest } from "../../../src/wire/http/slot-client.ts";
import type { Abortable, ResponseHandler } from "../../../src/wire/http/response-handler.ts";
import { TransportError } from "../../../src/wire/http/transport-error.ts";
import { UndiciClient } from "../../../src/wire/http/undici-client.ts";
import { onRequest, serveAnswers, serveTcp, type TestServer } from "../../make/wire/test-server.ts";
import { memoryInUse } from "../../make/memory-in-use.ts";
import { keep } from "../../make/keep.ts";

const request: SlotRequest = { method: "GET", path: "/", fields: { sent: [], shown: [], lines: null }, body: null };

/** The events of one request, in order. */
class Reported implements ResponseHandler {
  status = 0;
  headers: HeaderList = [];
  body = "";
  reads = 0;
  abortable: Abortable | null = null;
  readonly over: Promise<unknown>;
  #end: (result: unknown) => void = () => {};
  readonly #hooks: Partial<Pick<ResponseHandler, "onData" | "onComplete" | "onError">>;

  constructor(hooks: Partial<Pick<ResponseHandler, "onData" | "onComplete" | "onError">> = {}) {
    this.#hooks = hooks;
    this.over = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  onConnect(abortable: Abortable): void {
    this.abortable = abortable;
  }
  onRead(): void {
    this.reads += 1;
  }
  onHead(status: number, headers: HeaderList): void {
    this.status = status;
    this.headers = headers;
  }
  onData(piece: Buffer, lasting: boolean): void {
    this.body += piece.toString("latin1");
    this.#hooks.onData?.(piece, lasting);
  }
  onComplete(): void {
    this.#end("complete");
    this.#hooks.onComplete?.();
  }
  onError(error: unknown): void {
    this.#end(error);
    this.#hooks.onError?.(error);
  }
}

const clients = ["undici", "load"] as const;

function laneTo(server: TestServer, client: (typeof clients)[number]): ConnectionSlot {
  const origin = new URL(server.url);
  const tls = { rejectUnauthorized: true, ca: null };
  const memory = client === "load" ? { memory: Buffer.alloc(65_536) } : {};
  const connector: Connector = createConnector({ origin, timeoutMs: 2000, tls, ...memory });
  const mask = (text: string): string => text;
  let connections = 0;
  const slot = new ConnectionSlot({
    createClient: (connect) =>
      client === "load"
        ? new Http1Client({
            authority: origin.host,
            keepAliveMs: 4000,
            readHead: createHeadReader(mask),
            connect,
            afterReads: setImmediate,
          })
        : new UndiciClient({
            origin,
            keepAliveMs: 4000,
            readHeaders: createHeaderReader(mask),
            reading: { of: null, memory: null },
            connect: async () => (await connect()).socket,
          }),
    connector,
    nextConnectionId: () => (connections += 1),
    habits: new ServerHabits(),
  });
  keep({ close: () => slot.close(new TransportError("aborted", "the test is over")) });
  return slot;
}

const ok = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

describe.each(clients)("a slot over the client %s", (client) => {
  it("opens another connection when the one that was opened ahead is just being closed", async () => {
    const server = await serveAnswers((socket) => socket.write(ok));
    const slot = laneTo(server, client);
    await slot.warm();
    slot.socket?.destroy();
    const reported = new Reported();
    slot.dispatch(request, reported);
    expect(await reported.over).toBe("complete");
    expect(server.connections()).toBe(2);
  });

  it("opens another connection when the one that it used is just being closed", async () => {
    const server = await serveAnswers((socket) => socket.write(ok));
    const slot = laneTo(server, client);
    for (let turn = 0; turn < 3; turn += 1) {
      const reported = new Reported();
      slot.dispatch(request, reported);
      expect([await reported.over, reported.body]).toEqual(["complete", "ok"]);
      slot.socket?.destroy();
    }
    expect(server.connections()).toBe(3);
  });

  it("closes what it was opening when it was closed", async () => {
    let open = 0;
    const server = await serveTcp((socket) => {
      open += 1;
      socket.resume().on("close", () => {
        open -= 1;
      });
    });
    const slot = laneTo(server, client);
    const warming = slot.warm().catch(() => {});
    await slot.close(new TransportError("aborted", "closed"));
    await warming;
    await expect.poll(() => [server.connections(), open]).toEqual([1, 0]);
  });

  it("gives nothing of an answer that was given up to the request that follows at once", async () => {
    const chunks = Array.from({ length: 20 }, (_, at) => `3\r\na${String(at).padStart(2, "0")}\r\n`).join("");
    let asked = 0;
    const server = await serveAnswers((socket) => {
      asked += 1;
      socket.write(asked === 1 ? `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${chunks}nonsense\r\n` : ok);
    });
    const slot = laneTo(server, client);
    const next = new Reported();
    const first = new Reported({
      onData: () => {
        if (first.body.length === 9) first.abortable?.abort(new TransportError("too-large", "enough"));
      },
      onError: () => slot.dispatch(request, next),
    });
    slot.dispatch(request, first);
    expect(await first.over).toMatchObject({ kind: "too-large" });
    expect([await next.over, next.status, next.body]).toEqual(["complete", 200, "ok"]);
    expect(first.body).toBe("a00a01a02");
  });

  it.each([
    ["at once", null],
    ["in two pieces", 20],
  ])("leaves no listener on its connection and no memory of answers in their fields, read %s", async (_how, cut) => {
    let asked = 0;
    const body = Buffer.alloc(50_000, "x");
    const answer = (): Buffer => {
      asked += 1;
      const head = `HTTP/1.1 200 OK\r\nx-request-id: request-number-${String(asked).padStart(12, "0")}\r\ncontent-length: ${body.length}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), body]);
    };
    const server = await serveTcp((socket) => {
      socket.setNoDelay(true);
      onRequest(socket, () => {
        const bytes = answer();
        socket.write(bytes.subarray(0, cut ?? bytes.length));
        if (cut !== null) setTimeout(() => socket.write(bytes.subarray(cut)), 1);
      });
    });
    const slot = laneTo(server, client);
    const kept: HeaderList[] = [];
    const send = async (): Promise<void> => {
      const reported = new Reported();
      slot.dispatch(request, reported);
      await reported.over;
      kept.push(reported.headers);
    };
    const listeners = (): readonly number[] =>
      (slot.socket?.eventNames() ?? []).map((name) => slot.socket?.listenerCount(name) ?? 0);
    for (let turn = 0; turn < 20; turn += 1) await send();
    const [listenersBefore, heapBefore] = [listeners(), memoryInUse().heapUsed];
    for (let turn = 0; turn < 500; turn += 1) await send();
    expect(listeners()).toEqual(listenersBefore);
    expect(kept.at(-1)?.[0]).toEqual(["x-request-id", "request-number-000000000520"]);
    // Five hundred answers with all their text would be twenty-five megabytes.
    expect(memoryInUse().heapUsed - heapBefore).toBeLessThan(8_000_000);
  });
});
