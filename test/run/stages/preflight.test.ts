import { expect, it } from "vitest";
import { preflight } from "../../../src/run/stages/preflight.ts";
import { createWire } from "../../../src/wire/client/wire.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { serveHttp } from "../../make/wire/test-server.ts";

interface Looked {
  readonly refusal: string | null;
  readonly status: number | null;
  readonly asked: number;
  readonly sleptMs: readonly number[];
}

/** The look at a service that answers `status` and names a wait of so many seconds, until it was asked so often. */
async function lookAt(status: number, retryAfter: string, times: number): Promise<Looked> {
  let asked = 0;
  const server = await serveHttp((_, response) => {
    asked += 1;
    if (asked <= times) response.writeHead(status, { "retry-after": retryAfter }).end();
    else response.writeHead(200, { "content-type": "application/json" }).end('{"object":"list","data":[]}');
  });
  const manifest = testManifest(server.url);
  const sleptMs: number[] = [];
  const passed = (): number => sleptMs.reduce((sum, ms) => sum + ms, 0);
  const real = createRealClock();
  const clock = {
    nowMs: () => real.nowMs() + passed(),
    wallMs: () => real.wallMs() + passed(),
    sleep: async (ms: number) => void sleptMs.push(ms),
  };
  const wire = createWire({ manifest, clock });
  try {
    const { signal } = new AbortController();
    const { exchange, refusal } = await preflight(manifest, wire, { clock, onProgress: () => {}, signal, stages: ["load"] });
    return { refusal, status: exchange.response?.status ?? null, asked, sleptMs };
  } finally {
    await wire.close();
  }
}

it.each([500, 502, 503, 504])("a target that starts for ten seconds is waited for as it says: %i", async (status) => {
  const looked = await lookAt(status, "2", 5);
  expect(looked).toEqual({ refusal: null, status: 200, asked: 6, sleptMs: [2000, 2000, 2000, 2000, 2000] });
});

it("a target that stays away is waited for two minutes, and refused", async () => {
  const { refusal, sleptMs } = await lookAt(503, "30", Number.POSITIVE_INFINITY);
  expect(refusal).toContain("fails on valid requests");
  expect(sleptMs.slice(0, 4)).toEqual([30_000, 30_000, 30_000, 30_000]);
  expect(sleptMs.length).toBeLessThan(6);
});

it("an hour is not waited for, and a wait of nothing is no wait", async () => {
  expect((await lookAt(503, "3600", Number.POSITIVE_INFINITY)).sleptMs).toEqual([]);
  expect((await lookAt(503, "0", Number.POSITIVE_INFINITY)).sleptMs).toEqual([]);
});
