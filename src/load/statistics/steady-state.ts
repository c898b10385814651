import { studentQuantile } from "./binomial.ts";
import { dependenceOf, momentsOf } from "./dependence.ts";

/**
 * Truncation point by MSER-5 (White 1997; White, Cobb and Spratt 2000): means of 5 successive observations, then the point
 * after which the half-width of the mean is smallest. Returns the number of leading observations to leave out, or null when
 * there are fewer than 50 or the optimum lies in the second half: then the series never became steady, which is reported and
 * not hidden.
 */
export function mser5(observations: ArrayLike<number>): number | null {
  const batches: number[] = [];
  for (let start = 0; start + 5 <= observations.length; start += 5) {
    let sum = 0;
    for (let index = start; index < start + 5; index += 1) sum += observations[index] ?? 0;
    batches.push(sum / 5);
  }
  if (batches.length < 10) return null;
  let sum = 0;
  let squares = 0;
  let best = Infinity;
  let bestStart = 0;
  for (let start = batches.length - 1; start >= 0; start -= 1) {
    const value = batches[start] ?? 0;
    sum += value;
    squares += value * value;
    const left = batches.length - start;
    // Statistics of fewer than five batches are left out: their variance is 0 by chance.
    if (left < 5) continue;
    const variance = Math.max(0, squares / left - (sum / left) ** 2);
    const criterion = variance / left;
    if (criterion <= best) {
      best = criterion;
      bestStart = start;
    }
  }
  return bestStart > batches.length / 2 ? null : 5 * bestStart;
}

const batchCount = 20;

/** Quantile of the normal distribution for 1 % on two sides. */
const surely = 2.576;
/** Of 19 steps from one mean to the next fifteen lead up: of a walk by chance, whose places depend on each other the most, one in a hundred. */
const leastSteps = 11;

/**
 * Whether values drift with time: the trend test of Mann (1945) and Kendall on batch means, two-sided at 1 %. It takes the means for
 * independent, which those of a long queue are not. So also nearly all steps from one mean to the next lead the same way, or the straight
 * line through the values is steeper than their dependence on each other explains. Returns the sign of a significant drift, else 0.
 */
export function driftOf(observations: ArrayLike<number>): -1 | 0 | 1 {
  const size = Math.floor(observations.length / batchCount);
  if (size < 2) return 0;
  const means = Array.from({ length: batchCount }, (_, batch) => {
    let sum = 0;
    for (let index = batch * size; index < (batch + 1) * size; index += 1) sum += observations[index] ?? 0;
    return sum / size;
  });
  let score = 0;
  for (let later = 1; later < batchCount; later += 1) {
    for (let earlier = 0; earlier < later; earlier += 1) score += Math.sign((means[later] ?? 0) - (means[earlier] ?? 0));
  }
  const deviation = Math.sqrt((batchCount * (batchCount - 1) * (2 * batchCount + 5)) / 18);
  if (Math.abs(score) - 1 < surely * deviation) return 0;
  const steps = means.slice(1).reduce((sum, mean, before) => sum + Math.sign(mean - (means[before] ?? 0)), 0);
  if (Math.abs(steps) < leastSteps && !isSteep(observations)) return 0;
  return score > 0 ? 1 : -1;
}

/** Whether the straight line of least squares is steeper than chance makes it (1 %), for values that depend on each other as they do beside it. */
function isSteep(values: ArrayLike<number>): boolean {
  const n = values.length;
  const middle = (n - 1) / 2;
  let [sum, slope, squares] = [0, 0, 0];
  for (let at = 0; at < n; at += 1) {
    sum += values[at] ?? 0;
    slope += (at - middle) * (values[at] ?? 0);
    squares += (at - middle) ** 2;
  }
  slope /= squares;
  const beside = Float64Array.from({ length: n }, (_, at) => (values[at] ?? 0) - sum / n - slope * (at - middle));
  const { time } = dependenceOf(beside);
  const freedom = Math.max(1, n / time - 2);
  return Math.abs(slope) * Math.sqrt(squares) >= studentQuantile(0.995, freedom) * Math.sqrt(momentsOf(beside).variance * time);
}
