import type { LoadStep, StepMisses } from "../../core/result/load-result.ts";

/** One level of a search for capacity, tried once. */
export interface CapacityTrial {
  /** Requests a second, or requests in flight. */
  readonly level: number;
  readonly requests: number;
  readonly seconds: number;
  /** By criterion, always in the same order. */
  readonly counts: readonly StepMisses[];
  /** The generator could not send it as it was meant: it says nothing of the target. */
  readonly isLate: boolean;
}

export function capacityTrial(step: LoadStep): CapacityTrial {
  const { asked, concurrency, offered, requests = 0, seconds = 0, misses = [], limitedBy } = step;
  return { level: concurrency ?? asked ?? offered, requests, seconds, counts: misses, isLate: limitedBy === "generator" };
}
