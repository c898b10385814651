import type { Exchange } from "../../core/exchange/exchange.ts";
import type { ManifestFacts } from "../../core/manifest.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { BurstSetting } from "../history/group-view.ts";
import { leavesTrace } from "../history/history.ts";

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
    const subject = subjectOf(request.path, manifest);
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

function subjectOf(path: string, manifest: ManifestFacts): string | null {
  if (/^\/v1\/account(?:\?|$)/.test(path)) return "account";
  const id = /^\/v1\/keys\/([^/?]+)/.exec(path)?.[1];
  if (id === undefined) return null;
  const named = Object.entries(manifest.keys).find(([, key]) => key.id !== null && encodeURIComponent(key.id) === id);
  return named ? `key:${named[0]}` : null;
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
    if (!change.subject.startsWith("key:") || !("burst_limit" in change.settings)) continue;
    const name = change.subject.slice("key:".length);
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
