import { shapeOf } from "../arrivals/arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";

/** Seconds that a profile is planned to send: its duration with its warm-up, or what its arrivals state. */
export function plannedSeconds({
  arrivals,
  durationSeconds,
  warmUpSeconds,
}: Pick<LoadProfile, "arrivals" | "durationSeconds" | "warmUpSeconds">): number {
  const shape = shapeOf(arrivals);
  if (shape.name === "search") return shape.mostSeconds;
  return (shape.name === "open" ? shape.ownSeconds : undefined) ?? durationSeconds + warmUpSeconds;
}
