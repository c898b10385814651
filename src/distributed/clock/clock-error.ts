import type { OffsetInterval } from "./clock-interval.ts";

/** By how much an instant may be wrong that was carried to the other clock with one fixed offset. */
export function clockErrorMs({ lowMs, highMs }: OffsetInterval, usedOffsetMs: number): number {
  return Math.max(Math.abs(highMs - usedOffsetMs), Math.abs(usedOffsetMs - lowMs));
}
