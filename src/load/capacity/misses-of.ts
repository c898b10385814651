import type { StepMisses } from "../../core/result/load-result.ts";
import { batchTime, dependenceOf, momentsOf } from "../statistics/dependence.ts";
import { orderScores } from "../statistics/order-scores.ts";

/** Means of this many batches show how much successive requests have to do with each other. */
const batches = 10;

/**
 * `misses` holds one for each request that missed the gate and 0 for each that met it, in order; `values` what the gate bounds, where
 * that is a number. A trial with few misses shows by its values how long requests wait for each other: misses come in clusters, and
 * where there was one cluster or none, means of batches of them look as if none had to do with another.
 */
export function missesOf(
  gate: string,
  allowed: number,
  { misses, values = new Float64Array() }: { readonly misses: Float64Array; readonly values?: Float64Array },
): StepMisses {
  const { length } = misses;
  const ofMisses = length === 0 ? 1 : batchTime(misses, Math.ceil(length / batches), momentsOf(misses));
  const ofValues = values.length === 0 ? 1 : dependenceOf(orderScores(values, values.toSorted())).time;
  const time = Math.max(1, ofMisses, ofValues);
  return { gate, allowed, missed: misses.reduce((sum, miss) => sum + miss, 0), counted: length, effective: length / time };
}
