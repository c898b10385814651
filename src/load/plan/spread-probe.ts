import type { LoadProfile } from "../profile/load-profile.ts";
import { mostProbes } from "../profile/probe-policy.ts";
import { sendingSeconds } from "./sending-seconds.ts";

/** No profile asks more than so many times: the probe of a long one asks more seldom, so that it asks until its end. */
export function spreadProbe(profile: LoadProfile): LoadProfile {
  const { probe } = profile;
  if (probe === undefined) return profile;
  const leastSeconds = Math.ceil((1000 * sendingSeconds(profile)) / mostProbes) / 1000;
  return { ...profile, probe: { ...probe, everySeconds: Math.max(probe.everySeconds, leastSeconds) } };
}
