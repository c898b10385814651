import { expect, it } from "vitest";
import { viewBurst } from "../../../src/limits/burst/burst-view.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import type { SettingChange } from "../../../src/limits/history/burst-settings.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { simulatedManifest } from "../simulation/exam.ts";

const manifest = simulatedManifest(600);
const tolerances = tolerancesFor(manifest);

function change(seq: number, sentMs: number, settings: SettingChange["settings"], answeredMs = sentMs + 5): SettingChange {
  return { seq, subject: "key:primary", sentMs, answeredMs, settings };
}

const set = { burst_limit: 10, cooldown_seconds: 65 };
const restored = { burst_limit: null, cooldown_seconds: null };

/** The settings that are read for an exam whose volley is sent at 10 s. */
function examined(...changes: readonly SettingChange[]): readonly [seq: number, burst: number, cooldownMs: number] | null {
  const intent = { kind: "limit", policy: "burst", phase: "volley" } as const;
  const exchanges = [makeExchange({ seq: 50, sentMs: 10_000, stage: "limits", keyName: "primary", endpoint: "models", intent })];
  const history = readHistory(exchanges, tolerances);
  const bySeq = new Map<number, Exchange>(exchanges.map((exchange) => [exchange.seq, exchange]));
  const view = viewBurst("primary", { history, changes, tolerances, manifest, exchanges, bySeq });
  return view === null ? null : [view.change.seq, view.burst, view.cooldownMs];
}

it("judges a burst by the settings of its exam, whatever checks of settings set before", () => {
  const before = [change(1, 0, { burst_limit: 1000, cooldown_seconds: 5 }), change(2, 1000, restored)];
  expect(examined(...before, change(3, 9000, set), change(4, 20_000, restored))).toEqual([3, 10, 65_000]);
  expect(examined(...before)).toBeNull();
  expect(examined(...before, change(3, 9000, set, Number.POSITIVE_INFINITY))).toBeNull();
});

it("takes two changes that met as one, and none that changed nothing", () => {
  const both = [change(1, 9000, { cooldown_seconds: 65 }), change(2, 9000, { burst_limit: 10 })];
  expect(examined(...both)).toEqual([2, 10, 65_000]);
  expect(examined(...both, change(3, 9500, { cooldown_seconds: 65 }))).toEqual([2, 10, 65_000]);
});
