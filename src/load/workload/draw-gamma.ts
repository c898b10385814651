import type { Random } from "../../core/random.ts";
import { drawNormal } from "../workload/draw-length.ts";

/** Gamma variate with unit scale (Marsaglia and Tsang 2000). */
export function drawGamma(shape: number, random: Random): number {
  if (shape < 1) return drawGamma(shape + 1, random) * Math.pow(1 - random.next(), 1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(random);
    const v = Math.pow(1 + c * x, 3);
    if (v > 0 && Math.log(1 - random.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
