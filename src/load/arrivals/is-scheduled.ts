import type { LoadProfile } from "../profile/load-profile.ts";

/** Whether first attempts leave at planned instants; otherwise each waits for an answer before it. */
export function isScheduled({ arrivals }: Pick<LoadProfile, "arrivals">): boolean {
  return arrivals.kind !== "closed" && arrivals.kind !== "sessions";
}
