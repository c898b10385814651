import { afterEach, describe, expect, it } from "vitest";
import { createControlClock } from "../../src/wire/control-clock.ts";
import { serveHttp, type TestServer } from "./test-server.ts";

let server: TestServer | null = null;
afterEach(() => server?.close());

/** A control plane as the reference service has it; `manual`: time stands still between advances. */
async function serveClock(
  manual: boolean,
  startMs: number,
): Promise<{ readonly url: string; readonly advances: number[]; wallMs(): number }> {
  const originMs = performance.now();
  let baseMs = startMs;
  const advances: number[] = [];
  const wallMs = (): number => baseMs + (manual ? 0 : performance.now() - originMs);
  server = await serveHttp((request, response) => {
    if (request.headers.authorization !== "Bearer token-1") {
      response.writeHead(401).end();
      return;
    }
    let text = "";
    request.on("data", (chunk: Buffer) => (text += chunk.toString()));
    request.on("end", () => {
      if (request.method === "POST") {
        const { advanceMs } = JSON.parse(text) as { advanceMs: number };
        advances.push(advanceMs);
        baseMs += advanceMs;
      }
      response.end(JSON.stringify({ mode: { kind: manual ? "manual" : "real" }, wallMs: wallMs() }));
    });
  });
  return { url: server.url, advances, wallMs };
}

describe("the control clock", () => {
  it("sleeps by advancing the service and shifts its own time by as much", async () => {
    const service = await serveClock(false, 1_790_000_000_000);
    const clock = createControlClock({ url: service.url, token: "token-1" });
    const startedMs = performance.now();
    const beforeMs = clock.nowMs();
    await clock.sleep(3_600_000);
    expect(performance.now() - startedMs).toBeLessThan(1000);
    expect(clock.nowMs() - beforeMs).toBeGreaterThanOrEqual(3_600_000);
    expect(clock.nowMs() - beforeMs).toBeLessThan(3_601_000);
    expect(Math.abs(clock.wallMs() - service.wallMs())).toBeLessThan(50);
  });

  it("wakes sleepers in the order of their instants and advances no further than the latest", async () => {
    const service = await serveClock(false, 1_790_000_000_000);
    const clock = createControlClock({ url: service.url, token: "token-1" });
    const woken: number[] = [];
    const startMs = clock.nowMs();
    await Promise.all(
      [60_000, 20_000, 60_000, 40_000].map(async (ms) => {
        await clock.sleep(ms);
        woken.push(ms);
        expect(clock.nowMs() - startMs).toBeGreaterThanOrEqual(ms);
      }),
    );
    expect(woken).toEqual([20_000, 40_000, 60_000, 60_000]);
    expect(service.advances.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(60_001);
  });

  it("brings a service whose time stands still up to its own time with every sleep", async () => {
    const service = await serveClock(true, 1_767_225_600_000);
    const clock = createControlClock({ url: service.url, token: "token-1" });
    await clock.sleep(1000);
    expect(Math.abs(clock.wallMs() - service.wallMs())).toBeLessThan(20);
    const beforeMs = service.wallMs();
    await new Promise((resolve) => setTimeout(resolve, 60));
    await clock.sleep(1000);
    expect(service.wallMs() - beforeMs).toBeGreaterThanOrEqual(1055);
    expect(service.wallMs() - clock.wallMs()).toBeGreaterThan(-20);
  });

  it("ends a sleep by its signal and says when the service does not advance", async () => {
    const service = await serveClock(false, 1_790_000_000_000);
    const clock = createControlClock({ url: service.url, token: "token-1" });
    await expect(clock.sleep(60_000, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(new Error("stopped"));
    await expect(sleeping).rejects.toThrow("stopped");
    const stranger = createControlClock({ url: service.url, token: "wrong" });
    await expect(stranger.sleep(60_000)).rejects.toThrow("does not advance");
  });
});
