import type { Level } from "./requirement.ts";

/** Whether a violation of a requirement of this level fails a run: what is stated, and what follows from what is stated. */
export function isBinding(level: Level): boolean {
  return level === "must" || level === "implied";
}
