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

/**
 * Whether values drift with time: the trend test of Mann (1945) and Kendall on batch means, two-sided at 1 %.
 * Returns the sign of a significant drift, else 0.
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
  const z = (score - Math.sign(score)) / deviation;
  if (Math.abs(z) < 2.576) return 0;
  return z > 0 ? 1 : -1;
}
