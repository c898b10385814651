import { isSecretHeader } from "../../core/exchange/secret-header.ts";
import type { Manifest } from "../../core/manifest.ts";

/** Every secret of a manifest with the name that is shown in its place. */
export function namedSecrets(
  manifest: Pick<Manifest, "keys" | "control" | "target">,
): readonly (readonly [secret: string, name: string])[] {
  const named: (readonly [secret: string, name: string])[] = Object.entries(manifest.keys).map(([name, key]) => [
    key.secret,
    `key:${name}`,
  ]);
  if (manifest.control) named.push([manifest.control.token, "control-token"]);
  for (const [name, value] of Object.entries(manifest.target.headers)) {
    if (isSecretHeader(name)) named.push([value.replace(/^(?:bearer|basic|token) +/i, ""), `header:${name.toLowerCase()}`]);
  }
  return named;
}
