import type { Random } from "../../core/random.ts";
import type { LengthDistribution } from "../profile/length-distribution.ts";

/** Draws one length; integers for every kind, never below the minimum (1 where none is given). */
export function drawLength(distribution: LengthDistribution, random: Random): number {
  switch (distribution.kind) {
    case "fixed":
      return Math.max(0, Math.round(distribution.value));
    case "normal":
      return clamp(distribution.mean + distribution.standardDeviation * drawNormal(random), distribution);
    case "lognormal":
      return clamp(distribution.median * Math.exp(distribution.sigma * drawNormal(random)), distribution);
    case "empirical":
      return drawWeighted(distribution.values, distribution.weights, random);
    default:
      return distribution satisfies never;
  }
}

/** Largest length that the distribution can give: what a budget has to reserve. */
export function longestLength(distribution: LengthDistribution): number {
  switch (distribution.kind) {
    case "fixed":
      return Math.max(0, Math.round(distribution.value));
    case "normal":
    case "lognormal":
      return distribution.max;
    case "empirical":
      return Math.max(...distribution.values);
    default:
      return distribution satisfies never;
  }
}

/** Standard normal (Box and Muller 1958). */
export function drawNormal(random: Random): number {
  const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
  return radius * Math.cos(2 * Math.PI * random.next());
}

/** Index of the item that a uniform draw picks by weight. */
export function drawIndex(weights: readonly number[], random: Random): number {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  let left = random.next() * total;
  for (let index = 0; index < weights.length; index += 1) {
    left -= weights[index] ?? 0;
    if (left < 0) return index;
  }
  return weights.length - 1;
}

function drawWeighted(values: readonly number[], weights: readonly number[] | null, random: Random): number {
  const index = weights === null ? random.integer(0, values.length - 1) : drawIndex(weights, random);
  return values[index] ?? 0;
}

function clamp(value: number, bounds: { readonly min: number; readonly max: number }): number {
  return Math.round(Math.min(bounds.max, Math.max(bounds.min, value)));
}
