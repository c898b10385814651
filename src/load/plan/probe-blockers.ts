import type { Manifest } from "../../core/manifest.ts";
import type { Blocker } from "../profile/blocker.ts";
import { loadKeyName } from "../profile/load-key-name.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import { probeKeyName } from "../profile/probe-policy.ts";

/** A probe shows how another customer is served: its key is there, and is not the one that sends the load. */
export function probeBlockers({ probe, key }: LoadProfile, manifest: Manifest): readonly Blocker[] {
  if (probe === undefined) return [];
  const name = probeKeyName(probe.key, manifest);
  const own = manifest.keys[name]?.secret;
  if (own === undefined) return [{ code: "no-probe-key", key: name }];
  const isSame = own === manifest.keys[loadKeyName(key, manifest)]?.secret;
  return isSame ? [{ code: "same-probe-key", key: name }] : [];
}
