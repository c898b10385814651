import type { ManifestFacts, RedactedManifest } from "../core/manifest.ts";
import { isSecretHeader } from "../core/exchange/headers/secret-header.ts";

/** Leaves out the keys' secrets, the token of the control plane and header values that may hold a credential. */
export function redactManifest(manifest: ManifestFacts): RedactedManifest {
  const headers = Object.entries(manifest.target.headers).map(([name, value]) => [name, isSecretHeader(name) ? "" : value]);
  return {
    ...manifest,
    redacted: true,
    target: { ...manifest.target, headers: Object.fromEntries(headers) as Readonly<Record<string, string>> },
    keys: Object.fromEntries(Object.entries(manifest.keys).map(([name, { id, createdAtMs }]) => [name, { id, createdAtMs }])),
    control: manifest.control === null ? null : { url: manifest.control.url },
  };
}
