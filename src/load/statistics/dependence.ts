/** How much successive values have to do with each other. */
export interface Dependence {
  /** Values in order. */
  readonly count: number;
  /** So many successive values say as much as one of independent ones: the integrated autocorrelation time, 1 and more. */
  readonly time: number;
  /** More than chance brings about. */
  readonly isSure: boolean;
}

export const noDependence: Dependence = { count: 0, time: 1, isSure: false };

/** Correlations are added up to this many times their own sum (Sokal 1997, section 3); what follows would be noise. */
const windowTimes = 5;
/** Sums of longer series are taken over means of neighbours: what they lose is part of the factor that these means carry. */
const mostSummed = 8192;

/**
 * Integrated autocorrelation time of a series, with the correction of its bias by the window. A weak correlation that lasts long
 * drowns in the single lags: means of growing batches find it, where they vary more than chance allows.
 */
export function dependenceOf(values: Float64Array): Dependence {
  const count = values.length;
  const { mean, variance } = momentsOf(values);
  if (count < 4 || variance === 0) return { ...noDependence, count };
  const size = Math.ceil(count / mostSummed);
  const { time, lags } = size === 1 ? sumLags(values) : sumLags(batchMeans(values, size));
  const factor = size === 1 ? 1 : batchTime(values, size, { mean, variance });
  const window = (2 * lags + 1) * size;
  const summed = Math.max(1, (time * factor) / (1 - Math.min(0.75, window / count)));
  let longest = summed;
  for (let batch = 8; batch <= count / 7; batch *= 2) {
    const error = Math.sqrt((4 / 3) * (batch / count));
    const found = batchTime(values, batch, { mean, variance });
    if (found > 1 + 2.3 * error && found > longest * (1 + 1.5 * error)) longest = found;
  }
  const chance = Math.sqrt((2 * (2 * windowTimes + 1)) / count);
  return { count, time: longest, isSure: longest > 1 + 2 * chance };
}

/** One and twice the correlations up to the window, and the last lag of it. */
function sumLags(values: Float64Array): { readonly time: number; readonly lags: number } {
  const { mean, variance } = momentsOf(values);
  const count = values.length;
  const most = Math.floor(count / 4);
  let time = 1;
  let lag = 1;
  for (; lag <= most; lag += 1) {
    let sum = 0;
    for (let at = lag; at < count; at += 1) sum += ((values[at] ?? 0) - mean) * ((values[at - lag] ?? 0) - mean);
    time += (2 * sum) / (count * variance);
    if (lag >= windowTimes * time) break;
  }
  return { time, lags: Math.min(lag, most) };
}

export interface Moments {
  readonly mean: number;
  readonly variance: number;
}

export function momentsOf(values: Float64Array): Moments {
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / Math.max(1, values.length);
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  const variance = squares / Math.max(1, values.length);
  // Equal values differ from their mean by its rounding.
  return { mean, variance: variance > 1e-20 * mean * mean ? variance : 0 };
}

/**
 * The same time from the variance of overlapping batch means (Meketon and Schmeiser 1984): size times the variance of the means
 * over the variance of the values.
 */
export function batchTime(values: Float64Array, size: number, { mean, variance }: Moments): number {
  const count = values.length;
  if (variance === 0 || size >= count) return 1;
  let sum = 0;
  let squares = 0;
  for (let at = 0; at < count; at += 1) {
    sum += values[at] ?? 0;
    if (at >= size) sum -= values[at - size] ?? 0;
    if (at >= size - 1) squares += (sum / size - mean) ** 2;
  }
  const means = count - size + 1;
  return ((size * squares) / means / variance) * (count / (count - size));
}

function batchMeans(values: Float64Array, size: number): Float64Array {
  return Float64Array.from({ length: Math.floor(values.length / size) }, (_, batch) => {
    let sum = 0;
    for (let at = batch * size; at < (batch + 1) * size; at += 1) sum += values[at] ?? 0;
    return sum / size;
  });
}
