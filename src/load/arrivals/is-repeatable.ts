import type { LoadProfile } from "../profile/load-profile.ts";
import { shapeOf } from "./arrival-kinds.ts";

/** A shorter window has no second to spare: one that is late is a large part of it, whatever comes after. */
const leastSeconds = 5;

/** Whether any second of the load is as good as any other. Seconds begin with the window only where the warm-up ends with one. */
export function isRepeatable({ arrivals, warmUpSeconds, durationSeconds, limitScenario }: LoadProfile): boolean {
  const shape = shapeOf(arrivals);
  const isSame = shape.name === "loop" || (shape.name === "open" && shape.isSteady === true);
  return isSame && durationSeconds >= leastSeconds && Number.isInteger(warmUpSeconds) && limitScenario === null;
}
