import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { startReferenceService } from "../../../src/reference/start-reference-service.ts";
import { ControlClock } from "../../../src/wire/clock/control-clock.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp } from "../../make/wire/test-server.ts";
import { modelsRequest } from "../../make/wire/wire-to.ts";
import { keep } from "../../make/keep.ts";

const request: SendRequest = { ...modelsRequest, stage: "limits", credential: { kind: "none" } };

/** A control plane as the reference service has it; `manual`: time stands still between advances. */
async function serveClock(
  manual: boolean,
  startMs: number,
): Promise<{ readonly url: string; readonly advances: number[]; wallMs(): number }> {
  const originMs = performance.now();
  let baseMs = startMs;
  const advances: number[] = [];
  const wallMs = (): number => baseMs + (manual ? 0 : performance.now() - originMs);
  const server = await serveHttp((request, response) => {
    if (request.headers.authorization !== "Bearer token-1") {
      response.writeHead(401).end();
      return;
    }
    void (async () => {
      const body = await text(request);
      if (request.method === "POST") {
        const { advanceMs } = JSON.parse(body) as { advanceMs: number };
        advances.push(advanceMs);
        baseMs += advanceMs;
      }
      response.end(JSON.stringify({ mode: { kind: manual ? "manual" : "real" }, wallMs: wallMs() }));
    })();
  });
  return { url: server.url, advances, wallMs };
}

/** Resolves when so many requests for the model list have reached a server of this process. */
function arrivals(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const see = (message: unknown): void => {
      if ((message as { readonly request: IncomingMessage }).request.url?.startsWith("/v1/models") !== true) return;
      left -= 1;
      if (left > 0) return;
      unsubscribe("http.server.request.start", see);
      resolve();
    };
    subscribe("http.server.request.start", see);
  });
}

describe("the control clock", () => {
  it("sleeps by advancing the service and shifts its own time by as much", async () => {
    const service = await serveClock(false, 1_790_000_000_000);
    const clock = new ControlClock({ url: service.url, token: "token-1" });
    const startedMs = performance.now();
    const beforeMs = clock.nowMs();
    await clock.sleep(3_600_000);
    expect(performance.now() - startedMs).toBeLessThan(60_000);
    expect(clock.nowMs() - beforeMs).toBeGreaterThanOrEqual(3_600_000);
    expect(clock.nowMs() - beforeMs).toBeLessThan(3_660_000);
    expect(Math.abs(clock.wallMs() - service.wallMs())).toBeLessThan(60_000);
  });

  it("wakes sleepers in the order of their instants and advances no further than the latest", async () => {
    const service = await serveClock(false, 1_790_000_000_000);
    const clock = new ControlClock({ url: service.url, token: "token-1" });
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

  it("stops where the service has something due, so that what is answered then is not dated to the end of the sleep", async () => {
    const service = keep(await startReferenceService({ seed: 3, latency: "instant", variants: ["transport/latency-jitter"] }));
    const clock = new ControlClock(service.manifest.control!);
    const exchanges: Exchange[] = [];
    const wire = keep(createWire({ manifest: service.manifest, clock, onExchange: (exchange) => exchanges.push(exchange) }));
    const arrived = arrivals(8);
    const answers = Array.from({ length: 8 }, (_, index) =>
      wire.send({ ...request, label: `models ${index}`, credential: { kind: "bearer", key: "primary" } }),
    );
    await arrived;
    await clock.sleep(3_600_000);
    await Promise.all(answers);
    const tookMs = exchanges.map(({ timing }) => timing.headersMs! - timing.sentMs);
    expect(Math.max(...tookMs)).toBeGreaterThan(30);
    expect(Math.max(...tookMs)).toBeLessThan(600_000);
  });

  it("brings a service whose time stands still up to its own time with every sleep", async () => {
    const service = await serveClock(true, 1_767_225_600_000);
    const clock = new ControlClock({ url: service.url, token: "token-1" });
    await clock.sleep(1000);
    expect(Math.abs(clock.wallMs() - service.wallMs())).toBeLessThan(60_000);
    const beforeMs = service.wallMs();
    await new Promise((resolve) => setTimeout(resolve, 60));
    await clock.sleep(1000);
    expect(service.wallMs() - beforeMs).toBeGreaterThanOrEqual(1055);
  });

  it.each([
    ["before the answer to the advance is on its way", false],
    ["long before", true],
  ])("gives intervals that hold the instant of a service that moves %s", async (_, lingers) => {
    const originMs = performance.now();
    let skippedMs = 0;
    let lingering = 0;
    let onDecision = (): void => {};
    /** Resolves when a request was decided while the service is asked to move. */
    const decision = (): Promise<void> => new Promise((resolve) => (onDecision = resolve));
    const wallMs = (): number => 1_790_000_000_000 + performance.now() - originMs + skippedMs;
    // One server is the control plane and the target: GET /v1/models states when it decided.
    const server = await serveHttp((request, response) => {
      if (request.url === "/v1/models") {
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ decidedMs: wallMs() }));
        onDecision();
        return;
      }
      void (async () => {
        const body = await text(request);
        const finish = (): void => void response.end(JSON.stringify({ mode: { kind: "real" }, wallMs: wallMs() }));
        if (request.method !== "POST") return finish();
        lingering += 1;
        const { advanceMs } = JSON.parse(body) as { advanceMs: number };
        // The first sleep has no request beside it.
        if (advanceMs > 1000) await decision();
        skippedMs += advanceMs;
        if (advanceMs > 1000 && lingers) await decision();
        finish();
      })();
    });
    const clock = new ControlClock({ url: server.url, token: "token-1" });
    const wire = createWire({ manifest: testManifest(server.url), clock });
    await clock.sleep(1);
    // Offset between the two clocks, known from both ends of a request while nothing moves.
    const send = async (): Promise<Exchange> => wire.send(request);
    const decided = (exchange: Exchange): number =>
      (JSON.parse(exchange.response?.body?.text ?? "") as { decidedMs: number }).decidedMs;
    const still = await send();
    const low = decided(still) - still.timing.headersMs!;
    const high = decided(still) - still.timing.sentMs;
    const during: Exchange[] = [];
    const before = lingering;
    const sleeping = clock.sleep(3_600_000);
    const state = { asleep: true };
    void sleeping.then(() => (state.asleep = false));
    while (state.asleep) during.push(await send());
    await wire.close();
    expect(lingering).toBe(before + 1);
    expect(during.length).toBeGreaterThan(0);
    for (const exchange of during) {
      expect(exchange.timing.sentMs).toBeLessThanOrEqual(decided(exchange) - low);
      expect(exchange.timing.headersMs).toBeGreaterThanOrEqual(decided(exchange) - high);
    }
    // The test means something: some were decided before the move and some after it, while the clock was reported to move.
    const moved = during.map((exchange) => decided(exchange) - low - exchange.timing.sentMs > 1_800_000);
    expect(during.some((exchange) => exchange.timing.headersMs! - exchange.timing.sentMs > 1_800_000)).toBe(true);
    expect(moved.includes(true) || !lingers).toBe(true);
  });

  it("ends a sleep by its signal and says when the service does not advance", async () => {
    const service = await serveClock(false, 1_790_000_000_000);
    const clock = new ControlClock({ url: service.url, token: "token-1" });
    await expect(clock.sleep(60_000, AbortSignal.abort(new Error("stopped")))).rejects.toThrow("stopped");
    const controller = new AbortController();
    const sleeping = clock.sleep(60_000, controller.signal);
    controller.abort(new Error("stopped"));
    await expect(sleeping).rejects.toThrow("stopped");
    const stranger = new ControlClock({ url: service.url, token: "wrong" });
    await expect(stranger.sleep(60_000)).rejects.toThrow("does not advance");
  });
});
