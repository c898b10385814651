import type { StepMisses } from "../../core/result/load-result.ts";
import { batchTime, momentsOf } from "../statistics/dependence.ts";

/** Means of this many batches show how much successive requests have to do with each other. */
const batches = 12;

/** `misses` holds one for each request that missed the gate and 0 for each that met it, in order. */
export function missesOf(gate: string, allowed: number, misses: Float64Array): StepMisses {
  const { length } = misses;
  const time = length === 0 ? 1 : Math.max(1, batchTime(misses, Math.ceil(length / batches), momentsOf(misses)));
  return { gate, allowed, missed: misses.reduce((sum, miss) => sum + miss, 0), counted: length, effective: length / time };
}
