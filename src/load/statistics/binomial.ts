/** Natural logarithm of the gamma function (Lanczos 1964, g = 7, n = 9). */
function logGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const coefficients = [
    0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
    -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
  ];
  const z = x - 1;
  let sum = coefficients[0] ?? 0;
  for (let index = 1; index < coefficients.length; index += 1) sum += (coefficients[index] ?? 0) / (z + index);
  const t = z + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (DLMF 8.17.22). */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log(1 - x)) / a;
  const tiny = 1e-300;
  let c = 1;
  let d = 1 / nonZero(1 - ((a + b) * x) / (a + 1), tiny);
  let fraction = d;
  for (let m = 1; m < 100_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonZero(1 + even * d, tiny);
    c = nonZero(1 + even / c, tiny);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonZero(1 + odd * d, tiny);
    c = nonZero(1 + odd / c, tiny);
    const change = d * c;
    fraction *= change;
    if (Math.abs(change - 1) < 1e-13) break;
  }
  return front * fraction;
}

function nonZero(value: number, tiny: number): number {
  return Math.abs(value) < tiny ? tiny : value;
}

/** P(X <= k) for X binomial with n trials of probability p. */
export function binomialAtMost(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  if (k >= n) return 1;
  return incompleteBeta(1 - p, n - k, k + 1);
}

/** The share that lies beyond either end of a two-sided interval of 95 %. */
export const tail: number = (1 - 0.95) / 2;

/**
 * Exact two-sided interval for a probability (Clopper and Pearson 1934); [0, 1] without trials. Conservative: it covers at
 * least 95 % for every true probability. Both numbers may be fractions of what was counted: trials that hang together are worth
 * fewer.
 */
export function proportionInterval(successes: number, trials: number): readonly [low: number, high: number] {
  if (trials === 0) return [0, 1];
  const low = successes === 0 ? 0 : bisect(0, 1, (p) => 1 - binomialAtMost(successes - 1, trials, p) < tail);
  const high = successes === trials ? 1 : bisect(0, 1, (p) => binomialAtMost(successes, trials, p) > tail);
  return [low, high];
}

/** Quantile of Student's t with so many degrees of freedom, above the median. */
export function studentQuantile(p: number, freedom: number): number {
  const beyond = (t: number): number => incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
  return bisect(0, 1000, (t) => beyond(t) > 1 - p);
}

/** The place where `before` turns from true to false between two numbers. */
export function bisect(from: number, to: number, before: (value: number) => boolean): number {
  let low = from;
  let high = to;
  for (let step = 0; step < 60; step += 1) {
    const middle = (low + high) / 2;
    if (before(middle)) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
