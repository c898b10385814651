import type { ManifestFacts } from "../../core/manifest.ts";

/**
 * Key that a profile sends with. Profiles name `load` unless they are about another key; without one it is `primary`. One about
 * refusals in a cooldown names `reject`; without one it is `lowLimit`.
 */
export function loadKeyName(wanted: string, manifest: Pick<ManifestFacts, "keys">): string {
  if (manifest.keys[wanted] !== undefined) return wanted;
  return { load: "primary", reject: "lowLimit" }[wanted] ?? wanted;
}
