import type { Manifest } from "../core/manifest.ts";
import { isSecretHeader } from "../core/exchange/secret-header.ts";

/** The manifest without secrets, for judges and results. */
export function redactManifest(manifest: Manifest): Manifest {
  const headers = Object.entries(manifest.target.headers).map(([name, value]) => [name, isSecretHeader(name) ? "" : value]);
  return {
    ...manifest,
    target: { ...manifest.target, headers: Object.fromEntries(headers) as Readonly<Record<string, string>> },
    keys: Object.fromEntries(Object.entries(manifest.keys).map(([name, key]) => [name, { ...key, secret: "" }])),
    control: manifest.control === null ? null : { ...manifest.control, token: "" },
  };
}
