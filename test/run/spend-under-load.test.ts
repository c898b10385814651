import { describe, expect, it } from "vitest";
import { streamedChat } from "../make/wire/wire-to.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { planLoad } from "../../src/load/plan/plan-load.ts";
import { loadProfile } from "../../src/load/plan/read-profile.ts";
import { runLoadProfile } from "../../src/load/run-load-profile.ts";
import { startReferenceService } from "../../src/reference/start-reference-service.ts";
import { withSpendRoom } from "../../src/run/traffic/spend-room.ts";
import { watchProfile } from "../../src/run/traffic/watch-profile.ts";
import { createMemoryJournal } from "../../src/settings/settings-journal.ts";
import { ControlClock } from "../../src/wire/clock/control-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { keep } from "../make/keep.ts";

interface Driving {
  readonly mutants?: readonly string[];
  readonly changes?: (manifest: Manifest) => Manifest;
  /** Interrupts the run with the exchange of which it is true. */
  readonly isLast?: (exchange: Exchange) => boolean;
}

interface SentArrivals {
  readonly result: LoadProfileResult;
  readonly found: readonly (string | null)[];
  readonly violations: number | null;
  readonly exchanges: readonly Exchange[];
  readonly journal: ReturnType<typeof createMemoryJournal>;
  /** Status of one more purchase when all is over. */
  readonly status: number | null;
}

/** The built-in profile against the reference service, on its clock. */
async function drive({ mutants = [], changes = (manifest) => manifest, isLast = () => false }: Driving): Promise<SentArrivals> {
  const service = keep(await startReferenceService({ clock: "real", mutants }));
  const { control } = service.manifest;
  if (control === null) throw new Error("the reference service lends no clock");
  const clock = new ControlClock(control);
  const manifest = changes(service.manifest);
  const { profile } = loadProfile("spend-cap");
  const watch = watchProfile(profile, manifest, false);
  const exchanges: Exchange[] = [];
  const interrupt = new AbortController();
  const wire = keep(
    createWire({
      manifest,
      clock,
      onExchange(exchange) {
        exchanges.push(exchange);
        if (isLast(exchange)) interrupt.abort();
      },
    }),
  );
  const { onExchange, finish: watched } = watch;
  const { signal } = interrupt;
  const load = { profile, manifest, sender: wire, clock, virtualTime: true, seed: 3, onExchange, watched, signal };
  const journal = createMemoryJournal();
  const plan = planLoad({ profile, manifest, seed: 3 });
  const result = await withSpendRoom({ ...load, plan, journal, onProgress: () => undefined }, () => runLoadProfile(load));
  const { response } = await wire.send({
    ...streamedChat,
    stage: "load",
    endpoint: "images",
    path: "/v1/images/generations",
    credential: { kind: "bearer", key: "spendA" },
    body: { kind: "json", value: { prompt: "A grey square" } },
  });
  const { findings, figures } = watch.finish();
  const found = [...new Set(findings.map(({ check }) => check))];
  return { result, found, violations: figures.violations, exchanges, journal, status: response?.status ?? null };
}

const patches = (exchanges: readonly Exchange[]): readonly Exchange[] =>
  exchanges.filter(({ endpoint }) => endpoint === "key-settings");
const isOfProfile = ({ intent }: Exchange): boolean => intent.kind === "load";

describe("the profile spend-cap", () => {
  it("begins below the cap, crosses it with many in flight, goes on with none, and puts the cap back", async () => {
    const { result, found, violations, exchanges, journal, status } = await drive({});
    expect(found).toEqual([]);
    expect(violations).toBe(0);
    const own = exchanges.filter(isOfProfile).sort((a, b) => a.timing.sentMs - b.timing.sentMs);
    const statuses = own.map(({ response }) => response?.status);
    expect(statuses.slice(0, 2)).toEqual([200, 200]);
    expect(statuses.slice(2, 18).filter((one) => one === 200).length).toBeGreaterThan(0);
    expect(statuses.slice(18)).toEqual([429, 429, 429, 429, 429]);
    expect(new Set(own.slice(2, 18).map(({ connection }) => connection?.id)).size).toBe(16);
    expect(result.counts.sent).toBe(23);
    expect(journal.own()).toEqual([]);
    expect(patches(exchanges).at(-1)?.request.body?.text).toBe('{"monthly_spend_cap":null}');
    expect(status).toBe(200);
  });

  it.each([
    "spend/after-crossing",
    "spend/anniversary-cycle",
    "spend/retry-after-header",
    "spend/all-endpoints-refused",
    "limits/bucket-starts-empty",
  ])("accuses nothing lawful: %s", async (variant) => {
    const { found, violations } = await drive({ mutants: [variant] });
    expect(found).toEqual([]);
    expect(violations).toBe(0);
  });

  it.each([
    ["spend/check-then-charge", "spend.overshoot"],
    ["spend/charged-late", "spend.admitted-at-cap"],
    ["spend/never-charged", "spend.admitted-at-cap"],
    ["spend/lowering-ignored", "spend.admitted-at-cap"],
    ["spend/raising-ignored", "spend.raise-ignored"],
    ["spend/payment-required-status", "spend.refusal-shape"],
    ["spend/retry-after-one-minute", "spend.wait-untrue"],
  ])("accuses %s by %s", async (mutant, check) => {
    const { result, found } = await drive({ mutants: [mutant] });
    expect(found).toContain(check);
    expect(result.gates.find(({ expression }) => expression.startsWith("limits"))?.verdict).toBe("fail");
  });

  it("accuses charges that come late even where every change of the cap is waited for longer", async () => {
    const { found } = await drive({
      mutants: ["spend/charged-late"],
      changes: (manifest) => ({ ...manifest, propagationSeconds: 6 }),
    });
    expect(found).toContain("spend.overshoot");
  });

  it("says less where others may use the key", async () => {
    const { found } = await drive({
      mutants: ["spend/check-then-charge"],
      changes: (manifest) => ({ ...manifest, exclusive: false }),
    });
    expect(found).not.toContain("spend.overshoot");
  });

  it.each([
    ["while it is prepared", (exchange: Exchange) => exchange.label === "capped"],
    ["while it is sent", isOfProfile],
  ])("puts the cap back when it is interrupted %s", async (_title, isLast) => {
    const { exchanges, journal, status } = await drive({ isLast });
    expect(patches(exchanges).length).toBeGreaterThan(1);
    expect(patches(exchanges).at(-1)?.request.body?.text).toBe('{"monthly_spend_cap":null}');
    expect(journal.own()).toEqual([]);
    expect(status).toBe(200);
  });

  it.each([
    ["a purchase costs more than may be spent", { permissions: { spendUpToCents: 40 } }, /spendUpToCents/u],
    ["nothing says how to put the cap back", { restore: { keys: {}, account: null } }, /restore/u],
    ["settings may not be changed", { permissions: { patchSettings: false } }, /patchSettings/u],
  ])("sends nothing where %s", async (_title, changed, message) => {
    const changes = (manifest: Manifest): Manifest => ({
      ...manifest,
      ...("restore" in changed ? { restore: changed.restore } : {}),
      permissions: { ...manifest.permissions, ...("permissions" in changed ? changed.permissions : {}) },
    });
    const exchanges: Exchange[] = [];
    const attempt = drive({
      changes,
      isLast: (exchange) => {
        exchanges.push(exchange);
        return false;
      },
    });
    await expect(attempt).rejects.toThrow(message);
    await expect(attempt).rejects.toBeInstanceOf(RangeError);
    expect(exchanges).toEqual([]);
  });
});
