import { describe, expect, it } from "vitest";
import { momentsOf } from "../../src/core/exchange/moments.ts";
import { unseenMs } from "../../src/wire/clock/loop-watch.ts";
import { createRealClock } from "../../src/wire/clock/real-clock.ts";
import { serveHttp } from "../make/wire/test-server.ts";
import { streamedChat, wireTo } from "../make/wire/wire-to.ts";
import { holdThread } from "../make/hold-thread.ts";

describe.each(["load", "conformance"] as const)("a delay of this process (%s)", (stage) => {
  it("is not taken for one of the target: what has arrived meanwhile is read before time is up", async () => {
    const server = await serveHttp((_, response) => {
      response.end("{}");
      // The answer lies in the socket of the client when its deadline has passed.
      setImmediate(holdThread, 800);
    });
    const wire = wireTo(server.url, { timeoutMs: 600 });
    const exchange = await wire.send({ ...streamedChat, stage });
    expect([exchange.response?.status, exchange.failure]).toEqual([200, null]);
  });

  it("cuts no stream whose end has arrived before time was up", async () => {
    const server = await serveHttp((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\n");
      setTimeout(() => {
        // Several reads, and no more than the buffers of a socket hold.
        response.end(`data: ${"x".repeat(1000)}\n\n`.repeat(150));
        setImmediate(holdThread, 800);
      }, 50);
    });
    const wire = wireTo(server.url, { timeoutMs: 60_000 });
    const exchange = await wire.send({ ...streamedChat, stage, totalTimeoutMs: 600 });
    expect([exchange.response?.stream?.events.length, exchange.failure]).toEqual([151, null]);
  });

  it("is recorded with the exchange, whose interval holds the instant at which the answer came", async () => {
    const clock = createRealClock();
    let cameMs = Number.NaN;
    const server = await serveHttp((_, response) => {
      response.end("{}");
      setImmediate(() => {
        cameMs = clock.nowMs();
        holdThread(400);
      });
    });
    const { timing } = await wireTo(server.url, { timeoutMs: 60_000, clock }).send({ ...streamedChat, stage });
    expect(timing.lateMs).toBeGreaterThan(300);
    expect(timing.headersMs).toBeGreaterThan(cameMs + 300);
    expect(momentsOf({ timing }).answered!.earliestMs).toBeLessThanOrEqual(cameMs + unseenMs);
  });
});
