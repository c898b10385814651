import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { keyOfSubject, settingsRoute } from "../../settings/settings-address.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { BurstSetting } from "./group-view.ts";
import { leavesTrace } from "./history.ts";

/** A setting that a PATCH of this run put into force: `key:NAME` or `account`. */
export interface SettingChange {
  readonly seq: number;
  readonly subject: string;
  readonly sentMs: number;
  /** Answer to the PATCH: the change is in force at the latest one propagation time later. Infinity: never answered, it may be. */
  readonly answeredMs: number;
  readonly settings: Readonly<Record<string, number | null>>;
}

/** All PATCH requests that were accepted, or may have been, in order. */
export function readSettingChanges(exchanges: readonly Exchange[], manifest: ManifestFacts): readonly SettingChange[] {
  const changes: SettingChange[] = [];
  for (const exchange of exchanges) {
    const { request, response, timing } = exchange;
    if (request.method !== "PATCH" || !leavesTrace(exchange)) continue;
    const status = response?.status ?? null;
    const isOpen = status === null || status >= 500;
    if (!isOpen && (status < 200 || status > 299)) continue;
    const subject = subjectOf(exchange, manifest);
    const { requestObject } = factsOf(exchange);
    if (subject === null || requestObject === null) continue;
    const settings: Record<string, number | null> = {};
    for (const [name, value] of Object.entries(requestObject)) {
      if (typeof value === "number" || value === null) settings[name] = value;
    }
    changes.push({
      seq: exchange.seq,
      subject,
      sentMs: timing.sentMs,
      answeredMs: isOpen ? Number.POSITIVE_INFINITY : timing.endMs,
      settings,
    });
  }
  return changes.sort((a, b) => a.sentMs - b.sentMs);
}

function subjectOf({ request }: Exchange, manifest: ManifestFacts): string | null {
  const [path] = request.path.split("?");
  const subjects = ["account", ...Object.keys(manifest.keys).map((name) => `key:${name}`)];
  return subjects.find((subject) => settingsRoute(manifest, subject)?.path === path) ?? null;
}

/**
 * Burst allowance of each key over the run: what the manifest says to restore is what was set before, then every PATCH.
 * Infinity: none is set; null: not known.
 */
export function burstSettings(
  changes: readonly SettingChange[],
  manifest: ManifestFacts,
): ReadonlyMap<string, readonly BurstSetting[]> {
  const byKey = new Map<string, BurstSetting[]>();
  for (const [name, settings] of Object.entries(manifest.restore.keys)) {
    if (settings.burst_limit === undefined) continue;
    byKey.set(name, [{ fromMs: Number.NEGATIVE_INFINITY, limit: settings.burst_limit ?? Number.POSITIVE_INFINITY }]);
  }
  for (const change of changes) {
    const name = keyOfSubject(change.subject);
    if (name === null || !("burst_limit" in change.settings)) continue;
    // While a change propagates nothing is known; afterwards the new value is.
    const entries = [
      { fromMs: change.sentMs, limit: null },
      {
        fromMs: change.answeredMs + manifest.propagationSeconds * 1000,
        limit: change.settings["burst_limit"] ?? Number.POSITIVE_INFINITY,
      },
    ];
    byKey.set(name, [...(byKey.get(name) ?? []), ...entries]);
  }
  return byKey;
}
