import type { AdmissionParts } from "./admission-parts.ts";

/** Money that a key spent on images before the service started. */
export function billEarlier({ clock, keys, ledger, usage }: AdmissionParts, keyId: string, micros: number): void {
  const key = keys.byId(keyId);
  if (key === undefined) throw new Error(`no key ${keyId}`);
  const atMs = clock.wallMs();
  ledger.settle(ledger.hold(key, { endpoint: "images", streaming: false, maxCostMicros: micros }, atMs), micros, atMs);
  usage.record({
    atMs: Math.floor(atMs) - 1,
    account: key.account,
    keyId,
    endpoint: "images",
    streaming: false,
    aborted: false,
    items: 1,
    promptTokens: 0,
    completionTokens: 0,
    costMicros: micros,
  });
}
