import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { wasSent } from "../../../src/core/exchange/was-sent.ts";
import type { Manifest } from "../../../src/core/manifest.ts";
import { allocateRateAllowance } from "../../../src/load/send/rate-allowance.ts";
import { type ProbeStart, startProbe } from "../../../src/run/workers/start-probe.ts";
import { createBudget } from "../../../src/wire/budget/budget.ts";
import { createRealClock } from "../../../src/wire/clock/real-clock.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";

const servers: ReturnType<typeof createServer>[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** A target that takes requests and answers none; `asked` resolves with the first. */
async function silentTarget(): Promise<{
  readonly manifest: Manifest;
  readonly asked: Promise<[IncomingMessage, ServerResponse]>;
}> {
  const server = createServer();
  const asked = once(server, "request") as Promise<[IncomingMessage, ServerResponse]>;
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { manifest: manifestFor(`http://127.0.0.1:${port}`), asked };
}

function orderOf(manifest: Manifest, change: Partial<ProbeStart> = {}): ProbeStart {
  const profile = shortProfile({ durationSeconds: 60 });
  return {
    profile: { ...profile, probe: { key: "primary", everySeconds: 0.1, ask: ["models"] } },
    manifest,
    clock: createRealClock(),
    budget: createBudget(manifest),
    seq: new SharedArrayBuffer(4),
    allowance: null,
    signal: new AbortController().signal,
    ...change,
  };
}

describe("a probe beside a load", () => {
  it("takes a quarter of what the budget holds, and leaves the rest to the load", async () => {
    const { manifest } = await silentTarget();
    const budget = createBudget({ ...manifest, budget: { maxRequests: 40, maxTokens: null, maxCostUsd: null } });
    const probe = await startProbe(orderOf(manifest, { budget }));
    expect(budget.reserveMany(100, { tokens: 0, costUsd: 0 }).requests).toBe(30);
    await probe.abandon();
  });

  it("leaves out what the end of the load overtook before it was sent, and gives its budget back", async () => {
    const { manifest, asked } = await silentTarget();
    const budget = createBudget({ ...manifest, budget: { maxRequests: 40, maxTokens: null, maxCostUsd: null } });
    const interrupt = new AbortController();
    // One request an hour may leave: the others wait when the load ends.
    const allowance = allocateRateAllowance(1 / 3600)!;
    const probe = await startProbe(orderOf(manifest, { budget, allowance, signal: interrupt.signal }));
    await asked;
    const turns = (): bigint => Atomics.load(new BigInt64Array(allowance), 0);
    for (const before = turns(); turns() < before + 3n;) await new Promise((resolve) => setTimeout(resolve, 20));
    interrupt.abort();
    const exchanges = await probe.finish();
    expect(exchanges.filter((exchange) => !wasSent(exchange))).toEqual([]);
    expect(exchanges.length).toBe(1);
    expect(budget.reserveMany(100, { tokens: 0, costUsd: 0 }).requests).toBe(39);
  });

  it("gives its answers two seconds after an interrupt", async () => {
    const { manifest, asked } = await silentTarget();
    const interrupt = new AbortController();
    const clock = createRealClock();
    const patient = { ...manifest, target: { ...manifest.target, timeoutMs: 900_000 } };
    const probe = await startProbe(orderOf(patient, { clock, signal: interrupt.signal }));
    const [, response] = await asked;
    const interruptedMs = clock.nowMs();
    interrupt.abort();
    // The end of the load, which gives its answers longer, is not said before: nothing but the interrupt ends them.
    await once(response, "close");
    const exchanges = await probe.finish();
    expect(exchanges.length).toBeGreaterThan(0);
    // A timer may be a little early.
    for (const { timing } of exchanges) expect(timing.endMs - interruptedMs).toBeGreaterThan(1990);
  });
});
