import type { LoadProfile } from "../profile/load-profile.ts";
import { isSteady } from "./is-steady.ts";

/** A shorter window has no second to spare: one that is late is a large part of it, whatever comes after. */
const leastSeconds = 5;

/** Whether any second of the load is as good as any other. Seconds begin with the window only where the warm-up ends with one. */
export function isRepeatable(profile: LoadProfile): boolean {
  const { warmUpSeconds, durationSeconds, limitScenario } = profile;
  return isSteady(profile) && durationSeconds >= leastSeconds && Number.isInteger(warmUpSeconds) && limitScenario === null;
}
