import type { Random } from "../../core/random.ts";
import type { Gaps } from "../profile/file/gaps.ts";
import { drawNormal } from "../workload/draw-length.ts";

/**
 * Send instants in milliseconds, ascending, in [fromMs, fromMs + lengthMs). A rate that changes with time is followed
 * exactly: unit gaps are drawn on the scale of the cumulative rate and mapped back through its inverse (time-change theorem;
 * Cinlar 1975), so a ramp is neither a staircase nor rescaled to a fixed count.
 */
export function arrivalTimes(rate: RateCurve, gap: () => number, fromMs: number, lengthMs: number): number[] {
  const times: number[] = [];
  const total = rate.expected(lengthMs / 1000);
  let position = gap();
  while (position < total) {
    times.push(fromMs + 1000 * rate.inverse(position));
    position += gap();
  }
  return times;
}

/** Expected number of sends in the first `seconds`, and the inverse of that function. */
export interface RateCurve {
  expected(seconds: number): number;
  inverse(count: number): number;
}

/** The same rate all the time. */
export function constantRate(perSecond: number): RateCurve {
  return { expected: (seconds) => perSecond * seconds, inverse: (count) => count / perSecond };
}

/** From one rate to another in a straight line over `lengthSeconds`. */
export function linearRate(fromPerSecond: number, toPerSecond: number, lengthSeconds: number): RateCurve {
  const slope = (toPerSecond - fromPerSecond) / lengthSeconds;
  if (slope === 0) return constantRate(fromPerSecond);
  return {
    expected: (seconds) => fromPerSecond * seconds + (slope * seconds * seconds) / 2,
    // Positive root of slope/2 t^2 + from t - count = 0, in the form that stays exact for small slopes.
    inverse: (count) => (2 * count) / (fromPerSecond + Math.sqrt(Math.max(0, fromPerSecond * fromPerSecond + 2 * slope * count))),
  };
}

/**
 * Draws unit-mean gaps. `even`: the first send comes half a gap after the start, so that neighbouring steps do not collide.
 * `poisson`: exponential gaps, never rescaled. A gamma shape below 1 makes bursts.
 */
export function unitGaps(gaps: Gaps | { readonly shape: number }, random: Random): () => number {
  if (gaps === "even") {
    let first = true;
    return () => {
      const gap = first ? 0.5 : 1;
      first = false;
      return gap;
    };
  }
  if (gaps === "poisson") return () => -Math.log(1 - random.next());
  const { shape } = gaps;
  return () => drawGamma(shape, random) / shape;
}

/** Gamma variate with unit scale (Marsaglia and Tsang 2000). */
function drawGamma(shape: number, random: Random): number {
  if (shape < 1) return drawGamma(shape + 1, random) * Math.pow(1 - random.next(), 1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(random);
    const v = Math.pow(1 + c * x, 3);
    if (v > 0 && Math.log(1 - random.next()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
