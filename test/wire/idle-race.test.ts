import { connect } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { ServerHabits } from "../../src/wire/connection/server-habits.ts";
import { describeFailure } from "../../src/wire/http/transport-error.ts";
import { testManifest } from "../make/test-manifest.ts";
import { onRequest, serveAnswers, serveTcp, serveTls } from "../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../make/wire/wire-to.ts";
import { bothClients } from "./both-clients.ts";

const reset = Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });

/** The kind of a reset so long after the request, on a connection that was idle before; a round trip takes 2 ms. */
function kindOf({
  idleMs,
  leastMs,
  keptMs,
}: {
  readonly idleMs: number;
  readonly leastMs: number;
  readonly keptMs: number;
}): string {
  return describeFailure(reset, { headReceived: false, reused: { roundTripMs: 2, idleMs, leastMs, keptMs } }).kind;
}

describe("a reset on a connection that was used before", () => {
  it("is a race where it comes within the time that a request travels", () => {
    expect(kindOf({ idleMs: 1, leastMs: 5, keptMs: 60_000 })).toBe("reused-connection-closed");
  });

  it("is one where a busy server closes late what it never kept for so long", () => {
    expect(kindOf({ idleMs: 5010, leastMs: 700, keptMs: 4990 })).toBe("reused-connection-closed");
    expect(kindOf({ idleMs: 950, leastMs: 700, keptMs: 0 })).toBe("reused-connection-closed");
  });

  it("is none where others were kept that were idle for as long, or the connection was hardly idle", () => {
    expect(kindOf({ idleMs: 950, leastMs: 700, keptMs: 951 })).toBe("connection-closed");
    expect(kindOf({ idleMs: 400, leastMs: 700, keptMs: 0 })).toBe("connection-closed");
    expect(kindOf({ idleMs: 5010, leastMs: 1200, keptMs: 0 })).toBe("connection-closed");
  });
});

it("takes an idle time for one that is kept when three connections bore it", () => {
  const habits = new ServerHabits();
  const kept = [5000, 800, 950, 20, 1000].map((idleMs) => {
    habits.noteKept(idleMs);
    return habits.keptMs;
  });
  expect(kept).toEqual([0, 0, 800, 800, 950]);
});

describe.each(bothClients)("over $client", ({ stage }) => {
  const request: SendRequest = { ...streamedChat, stage };
  const keptPauseMs = 1200;

  /**
   * A crash on a connection whose handshake took a second, after five answers of a status: later than three quick round trips, and sooner
   * than three handshakes.
   */
  async function crashAfter(status: string): Promise<string | undefined> {
    const secure = await serveTls((socket) => {
      onRequest(socket, (text) => {
        if (text.includes("/crash")) setTimeout(() => socket.destroy(), 1200);
        else socket.write(`HTTP/1.1 ${status}\r\ncontent-length: 2\r\n\r\nok`);
      });
    });
    // The bytes of the handshake wait, all others pass at once.
    const slow = await serveTcp((socket) => {
      const onward = connect(secure.port, "127.0.0.1");
      onward.on("error", () => socket.destroy()).on("close", () => socket.destroy());
      onward.pipe(socket);
      setTimeout(() => socket.pipe(onward), 1000);
    });
    const url = slow.url.replace("http:", "https:");
    const wire = wireTo(url, { manifest: testManifest(url, { tls: { rejectUnauthorized: false } }) });
    for (let turn = 0; turn < 5; turn += 1) expect((await wire.send(request)).failure).toBeNull();
    const crashed = await wire.send({ ...request, path: "/crash" });
    expect(crashed.connection?.reused).toBe(true);
    return crashed.failure?.kind;
  }

  it("knows a round trip by the quickest success, where opening the connection took long", async () => {
    expect(await crashAfter("200 OK")).toBe("connection-closed");
  });

  it("knows none by refusals, which may have left before the request came", async () => {
    expect(await crashAfter("408 Request Timeout")).toBe("reused-connection-closed");
  });

  it("calls a crash in the middle of the work a failure, although about a second passed before the request", async () => {
    const server = await serveAnswers((socket, text) => {
      if (text.includes("/crash")) setTimeout(() => socket.resetAndDestroy(), 800);
      else socket.write("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
    });
    const wire = wireTo(server.url, { timeoutMs: 60_000 });
    for (let turn = 0; turn < 4; turn += 1) {
      expect((await wire.send(request)).failure).toBeNull();
      if (turn < 3) await pause(keptPauseMs);
    }
    // A machine that sleeps for longer than it was asked to shows nothing, and is asked again.
    for (;;) {
      const startMs = performance.now();
      await pause(920);
      if (performance.now() - startMs < keptPauseMs - 100) break;
      expect((await wire.send(request)).failure).toBeNull();
    }
    const crashed = await wire.send({ ...request, path: "/crash" });
    expect(crashed.connection?.reused).toBe(true);
    expect(crashed.failure?.kind).toBe("connection-closed");
  });
});
