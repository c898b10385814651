import type { LoadProfile } from "../profile/load-profile.ts";

/** Whether the next rate depends on what was measured at the last one. */
export function isSearch({ arrivals }: Pick<LoadProfile, "arrivals">): boolean {
  return arrivals.kind === "sweep" || arrivals.kind === "bisect";
}
