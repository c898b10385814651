import type { Manifest } from "../../src/core/manifest.ts";

/** Requests a minute of the plan with the fewest: what bursts to a limit have to be sent costs least there. */
export const lowestLimit = 60;

/** The manifest of the reference service for whoever drives the primary key: that of the plan with the lowest limit. */
export function onLowestPlan(manifest: Manifest): Manifest {
  const { keys, limits, target } = manifest;
  return {
    ...manifest,
    target: { ...target, plan: "starter" },
    keys: { ...keys, primary: keys["starter"]! },
    limits: { ...limits, requestsPerMinute: lowestLimit },
  };
}
