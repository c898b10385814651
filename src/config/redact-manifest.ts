import type { Manifest } from "../core/manifest.ts";

/** The manifest without secrets, for judges and results. */
export function redactManifest(manifest: Manifest): Manifest {
  return {
    ...manifest,
    keys: Object.fromEntries(Object.entries(manifest.keys).map(([name, key]) => [name, { ...key, secret: "" }])),
    control: manifest.control === null ? null : { ...manifest.control, token: "" },
  };
}
