import { describe, expect, it } from "vitest";
import type { LimitFigures } from "../../src/core/limit-figures.ts";
import type { LoadLimitCheck } from "../../src/core/result/gate-result.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { loadProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { watchProfile } from "../../src/run/traffic/watch-profile.ts";
import { ControlClock } from "../../src/wire/clock/control-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { keep } from "../make/keep.ts";
import { lowestLimit, onLowestPlan } from "../make/on-lowest-plan.ts";
import { sampleOf, sampleTitle } from "../make/runner/sample.ts";

const limit = lowestLimit;

interface SentArrivals {
  readonly result: LoadProfileResult;
  /** Verdicts of the gates as judged, whether the run is valid or not: this machine may be busy. */
  readonly figures: LimitFigures;
  /** Checks that accuse. */
  readonly found: readonly (string | null)[];
  readonly checks: readonly LoadLimitCheck[];
  /** By burst: requests that were admitted, and refused. */
  readonly bursts: readonly (readonly [admitted: number, refused: number])[];
  readonly connections: number;
}

/** A built-in profile against the reference service, on its clock. */
async function drive(mutants: readonly string[], name = "burst"): Promise<SentArrivals> {
  const service = keep(await startReferenceService({ clock: "real", mutants }));
  const { control } = service.manifest;
  if (control === null) throw new Error("the reference service lends no clock");
  const clock = new ControlClock(control);
  const manifest = onLowestPlan(service.manifest);
  const { profile } = loadProfile(name);
  const watch = watchProfile(profile, manifest, false);
  const statuses: [sentMs: number, status: number | null][] = [];
  const connections = new Set<number>();
  const wire = createWire({ manifest, clock });
  const result = await runLoadProfile({
    profile,
    manifest,
    sender: wire,
    clock,
    virtualTime: true,
    seed: 3,
    onExchange(exchange) {
      watch.onExchange(exchange);
      statuses.push([exchange.timing.sentMs, exchange.response?.status ?? null]);
      if (exchange.connection !== null) connections.add(exchange.connection.id);
    },
    watched: watch.finish,
  });
  await wire.close();
  const startMs = Math.min(...statuses.map(([sentMs]) => sentMs));
  const bursts = [0, 1, 2, 3].map((step): readonly [number, number] => {
    const own = statuses.filter(([sentMs]) => Math.abs(sentMs - startMs - 61_000 * step) < 20_000);
    return [own.filter(([, status]) => status === 200).length, own.filter(([, status]) => status === 429).length];
  });
  const { figures, findings, checks } = watch.finish();
  const found = [...new Set(findings.map(({ check }) => check))];
  return { result, figures, found, bursts, checks, connections: connections.size };
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
    // If a burst lies across the end of a window the service admits more, lawfully.
    expect(bursts[3]?.[1]).toBeGreaterThan(0);
    // All of a burst is under way at once.
    expect(connections).toBeGreaterThan(limit);
    expect(figures).toEqual({ over_admission: 0, violations: 0 });
  });

  it("finds a limit that is reported and not enforced", async () => {
    const { result, figures, checks } = await drive(["limits/not-enforced"]);
    expect(figures.over_admission).toBeGreaterThan(0);
    // A proof stands, however busy this machine is.
    expect(result.gates.find(({ id }) => id === "limits.over_admission")?.verdict).toBe("fail");
    const wrong = checks.filter(({ verdict }) => verdict === "fail");
    expect(wrong.map(({ id, kind }) => [id, kind])).toContainEqual(["limits.over-admission", "requests"]);
    expect(wrong.every(({ considered, needed }) => considered >= needed)).toBe(true);
  });
});

/**
 * SentArrivals by single requests, wherever the windows of the service begin. The table, of which `npm test` drives a tenth:
 * bench/limits/under-load.ts has more.
 */
describe(`the window-edges profile (${sampleTitle})`, () => {
  it.each(
    sampleOf<readonly [string, readonly string[]]>(
      [
        ["the service as it is", []],
        ["windows that begin with a request", ["limits/fixed-first"]],
        ["a sliding log", ["limits/sliding-log"]],
        ["a sliding counter", ["limits/sliding-counter"]],
        ["a bucket that refills", ["limits/token-bucket"]],
        ["a bucket that holds a quarter of the limit", ["limits/burst-below-limit"]],
        ["refusals that count", ["limits/rejections-count"]],
      ],
      10,
    ),
  )("finds nothing wrong with %s", async (_, variants) => {
    const { found, figures } = await drive(variants, "window-edges");
    expect(found).toEqual([]);
    expect(figures.violations).toBe(0);
  });

  it.each(
    sampleOf<readonly [string, string]>(
      [
        ["limits/over-admit-one", "limits.over-admission"],
        ["limits/remaining-constant", "limits.lost-updates"],
        ["limits/double-count", "limits.phantom-consumption"],
        ["limits/never-resets", "limits.under-admission"],
        ["limits/window-too-short", "limits.early-renewal"],
        ["limits/window-too-long", "limits.reset-past"],
        ["limits/leaking-slots", "limits.remaining-not-restored"],
        ["limits/reset-moves", "limits.early-renewal"],
        ["limits/retry-after-zero", "limits.retry-after-too-short"],
        ["limits/retry-after-missing", "limits.retry-after-form"],
      ],
      10,
    ),
  )("finds %s by %s", async (mutant, check) => {
    const { found, result } = await drive([mutant], "window-edges");
    expect(found).toContain(check);
    expect(result.gates.find(({ id }) => id === "limits.violations")?.verdict).toBe("fail");
  });
});

describe(`the cooldown profile (${sampleTitle})`, () => {
  it.each(
    sampleOf<readonly [string, readonly string[]]>(
      [
        ["the service as it is", []],
        ["an allowance that the cooldown does not bring back", ["burst/allowance-not-restored"]],
        ["a cooldown from the first refusal on", ["burst/cooldown-from-excess"]],
        ["an allowance of the clock's minute", ["burst/clock-minute"]],
        ["an allowance that refills", ["burst/refilling"]],
      ],
      10,
    ),
  )("finds nothing wrong with %s", async (_, variants) => {
    const { found, result, figures } = await drive(variants, "cooldown");
    expect(found).toEqual([]);
    expect(figures.violations).toBe(0);
    expect(result.outcomes["burst-limited"]).toBeGreaterThan(5);
  });

  it.each(
    sampleOf<readonly [string, string]>(
      [
        ["burst/ignored", "burst.over-admission"],
        ["burst/cooldown-in-milliseconds", "burst.over-admission"],
        ["burst/over-admit-one", "burst.over-admission"],
        ["burst/cooldown-in-minutes", "burst.under-admission"],
        ["burst/under-admit-one", "burst.under-admission"],
      ],
      10,
    ),
  )("finds %s by %s", async (mutant, check) => {
    expect((await drive([mutant], "cooldown")).found).toContain(check);
  });
});
