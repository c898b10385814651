import { headerSecretName } from "../core/exchange/headers/header-secret-name.ts";
import { isSecretHeader } from "../core/exchange/headers/secret-header.ts";
import type { ManifestFacts, RedactedManifest } from "../core/manifest.ts";
import type { NamedSecret } from "../core/named-secret.ts";
import { hideValues } from "./hide-values.ts";

/**
 * Leaves out the keys' secrets, the token of the control plane and header values that may hold a credential, and shows the names of
 * values of the environment in their place. Ids of the catalogue stay as they are.
 */
export function redactManifest(manifest: ManifestFacts & { readonly secrets?: readonly NamedSecret[] }): RedactedManifest {
  const { secrets = [], ...facts } = manifest;
  const named = new Set(secrets.map(({ name }) => name));
  const isHidden = (name: string, value: string): boolean => named.has(headerSecretName(name)) || isSecretHeader(name, value);
  const withoutValues = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, isHidden(name, value) ? "" : value]));
  const { target, keys, control, models, faults, foreignKeyId, baseline, waive } = facts;
  const hidden = hideIn(
    { target, models, foreignKeyId, reasons: [baseline, waive].map((list) => list.map(({ reason }) => reason)) },
    secrets,
  );
  const [known = [], waived = []] = hidden.reasons;
  return {
    ...facts,
    redacted: true,
    target: {
      ...hidden.target,
      headers: withoutValues(hidden.target.headers),
      ...(target.proxy == null ? {} : { proxy: hideIn(new URL(target.proxy).origin, secrets) }),
    },
    models: hidden.models,
    foreignKeyId: hidden.foreignKeyId,
    keys: Object.fromEntries(
      Object.entries(keys).map(([name, { id, createdAtMs }]) => [name, { id: hideIn(id, secrets), createdAtMs }]),
    ),
    faults: Object.fromEntries(
      Object.entries(faults).map(([status, { headers, path }]) => [
        status,
        { headers: withoutValues(hideIn(headers, secrets)), path: hideIn(path, secrets) },
      ]),
    ),
    baseline: baseline.map((entry, index) => ({ ...entry, reason: known[index] ?? entry.reason })),
    waive: waive.map((entry, index) => ({ ...entry, reason: waived[index] ?? entry.reason })),
    control: control === null ? null : { url: hideIn(control.url, secrets) },
  };
}

/** The same value with every text in it masked; names of members stay. */
function hideIn<Value>(value: Value, secrets: readonly NamedSecret[]): Value {
  if (secrets.length === 0) return value;
  const walk = (inner: unknown): unknown => {
    if (typeof inner === "string") return hideValues(inner, secrets);
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== "object" || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, member]) => [name, walk(member)]));
  };
  return walk(value) as Value;
}
