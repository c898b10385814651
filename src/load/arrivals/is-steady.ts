import { shapeOf } from "./arrival-kinds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";

/** Whether the load stays the same, requests at one rate or a number in flight, so that the target can settle. */
export function isSteady({ arrivals, warmUpSeconds, durationSeconds }: LoadProfile): boolean {
  const shape = shapeOf(arrivals);
  if (shape.name !== "loop") return shape.name === "open" && shape.isSteady === true;
  const loopMs = 1000 * (warmUpSeconds + durationSeconds);
  // A loop whose slots begin during the measurement rises by itself; by default they begin within a fortieth of it.
  return shape.rampMs(loopMs) <= Math.max(1000 * warmUpSeconds, loopMs / 40);
}
