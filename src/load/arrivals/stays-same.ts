import { shapeOf } from "./arrival-kinds.ts";
import type { Arrivals } from "../profile/arrivals.ts";

/** Whether what is sent stays the same: requests at one rate, or a number in flight. */
export function staysSame(arrivals: Arrivals): boolean {
  const shape = shapeOf(arrivals);
  return shape.name === "loop" || (shape.name === "open" && shape.isSteady === true);
}
