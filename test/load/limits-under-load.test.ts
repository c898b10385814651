import { afterEach, describe, expect, it } from "vitest";
import { redactManifest } from "../../src/config/redact-manifest.ts";
import type { LoadProfileResult } from "../../src/core/load-result.ts";
import { createLimitMonitor } from "../../src/limits/limit-monitor.ts";
import { readLimitFigure } from "../../src/limits/monitor/gate-figures.ts";
import { loadProfile } from "../../src/load/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { startReferenceService, type ReferenceService } from "../../src/reference/start-reference-service.ts";
import { createControlClock } from "../../src/wire/control-clock.ts";
import { createWire } from "../../src/wire/wire.ts";

/** Of the key that the profile drives. */
const limit = 600;

let service: ReferenceService | null = null;
afterEach(async () => {
  await service?.close();
  service = null;
});

interface Driven {
  readonly result: LoadProfileResult;
  /** Verdicts of the gates as judged, whether the run is valid or not: this machine may be busy. */
  readonly figures: Readonly<Record<"over_admission" | "violations", number | null>>;
  /** By burst: requests that were admitted, and refused. */
  readonly bursts: readonly (readonly [admitted: number, refused: number])[];
  readonly connections: number;
}

/** The built-in profile against the reference service, on its clock. */
async function drive(mutants: readonly string[]): Promise<Driven> {
  service = await startReferenceService({ clock: "real", mutants });
  const { control } = service.manifest;
  if (control === null) throw new Error("the reference service lends no clock");
  const clock = createControlClock(control);
  const manifest = { ...service.manifest, limits: { ...service.manifest.limits, requestsPerMinute: limit } };
  const { profile } = loadProfile("burst");
  const monitor = createLimitMonitor({ manifest: redactManifest(manifest), strict: false });
  const statuses: [sentMs: number, status: number | null][] = [];
  const connections = new Set<number>();
  const wire = createWire({ manifest, clock });
  const finish = once(() => monitor.finish());
  const result = await runLoadProfile({
    profile,
    manifest,
    sender: wire,
    clock,
    virtualTime: true,
    seed: 3,
    onExchange(exchange) {
      monitor.add(exchange);
      statuses.push([exchange.timing.sentMs, exchange.response?.status ?? null]);
      if (exchange.connection !== null) connections.add(exchange.connection.id);
    },
    limits: (name) => readLimitFigure(finish(), name),
  });
  await wire.close();
  const startMs = Math.min(...statuses.map(([sentMs]) => sentMs));
  const bursts = [0, 1, 2, 3].map((step): readonly [number, number] => {
    const own = statuses.filter(([sentMs]) => Math.abs(sentMs - startMs - 61_000 * step) < 20_000);
    return [own.filter(([, status]) => status === 200).length, own.filter(([, status]) => status === 429).length];
  });
  const figures = {
    over_admission: readLimitFigure(finish(), "over_admission"),
    violations: readLimitFigure(finish(), "violations"),
  };
  return { result, figures, bursts, connections: connections.size };
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | null = null;
  return () => (made ??= { value: make() }).value;
}

describe("the burst profile", () => {
  it("asks for one less than the limit, the limit, one more and twice as many, on as many sockets, and around the end of the window", async () => {
    const { result, bursts, figures, connections } = await drive([]);
    expect(result.counts).toMatchObject({ planned: 5 * limit + 3, sent: 5 * limit + 3 });
    expect(bursts.map(([admitted, refused]) => admitted + refused)).toEqual([limit - 1, limit, limit + 1, 2 * limit + 1]);
    expect(bursts.slice(0, 2)).toEqual([
      [limit - 1, 0],
      [limit, 0],
    ]);
    // Where a burst lies across the end of a window the service admits more, lawfully.
    expect(bursts[3]?.[1]).toBeGreaterThan(0);
    // All of a burst is under way at once.
    expect(connections).toBeGreaterThan(limit);
    expect(figures).toEqual({ over_admission: 0, violations: 0 });
  });

  it("finds a limit that is told and not enforced", async () => {
    const { result, figures } = await drive(["limits/not-enforced"]);
    expect(figures.over_admission).toBeGreaterThan(0);
    // A proof stands, however busy this machine is.
    expect(result.gates.find(({ id }) => id === "limits.over_admission")?.verdict).toBe("fail");
  });
});
