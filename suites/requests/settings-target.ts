import type { CaseRequest, Need } from "../../src/conformance/plan/case.ts";
import { endpoints } from "../../src/core/exchange/endpoint.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import type { Credential } from "../../src/core/exchange/send-request.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import { jsonRequest } from "./json-request.ts";

/** Manifest name of the key that is set aside for changes of settings. */
export const settingsKey = "examSettings";

/** Cases that change settings never overlap. */
export const settingsResource = "settings";

export const adminCredential: Credential = { kind: "bearer", key: "admin" };

export const keySettingsNeeds: readonly Need[] = [
  { kind: "key", name: "admin" },
  { kind: "permission", name: "patchSettings" },
  { kind: "key-id", name: settingsKey },
  { kind: "restore", key: settingsKey },
];

export const accountSettingsNeeds: readonly Need[] = [
  { kind: "key", name: "admin" },
  { kind: "permission", name: "patchSettings" },
  { kind: "restore", key: "account" },
];

/** Lawful values: the declared ones, or generous ones where the declaration is "no limit". */
export function lawfulKeySettings(manifest: Manifest): {
  readonly monthly_spend_cap: number;
  readonly burst_limit: number;
  readonly cooldown_seconds: number;
} {
  const declared = manifest.restore.keys[settingsKey];
  return {
    monthly_spend_cap: declared?.monthly_spend_cap ?? 1_000_000,
    burst_limit: declared?.burst_limit ?? 1000,
    cooldown_seconds: declared?.cooldown_seconds ?? 5,
  };
}

export function lawfulAccountSettings(manifest: Manifest): { readonly account_spend_cap: number } {
  return { account_spend_cap: manifest.restore.account?.account_spend_cap ?? 100_000_000 };
}

/** Path of the settings of one key; `id` defaults to the key set aside. */
export function keySettingsPath(manifest: Manifest, id: string | null = null): string {
  const target = id ?? manifest.keys[settingsKey]?.id ?? "";
  return endpoints["key-settings"].path.replace("{key_id}", encodeURIComponent(target));
}

/** A change of the settings of one key by the key that may make it; `id` as for the path. */
export function keyChange(manifest: Manifest, label: string, value: unknown, intent?: Intent, id?: string): CaseRequest {
  const request = jsonRequest("key-settings", label, value, intent);
  return { ...request, path: keySettingsPath(manifest, id), credential: adminCredential };
}

/** The same for the account. */
export function accountChange(label: string, value: unknown, intent?: Intent): CaseRequest {
  return { ...jsonRequest("account-settings", label, value, intent), credential: adminCredential };
}
