import { studentQuantile, tail } from "../statistics/binomial.ts";

/** A figure of one run, with its 95 % interval; null where it has none. */
export interface RunValue {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Values of the runs, and what is known of the figure that they are samples of. */
export interface JoinedValues {
  readonly mean: number;
  readonly low: number;
  readonly high: number;
  /** Standard deviation between the runs, and the standard error within one; null where none has an interval. */
  readonly between: number;
  readonly within: number | null;
}

/** Half of an interval of 95 % in standard errors. */
const halfInterval = 1.96;

/**
 * Mean over the runs with a 95 % interval by Student's t, which knows nothing of what happens within a run. Runs that agree by chance must
 * not make it narrower than the runs by themselves are.
 */
export function joinValues(values: readonly RunValue[]): JoinedValues {
  const count = values.length;
  const mean = values.reduce((sum, { value }) => sum + value, 0) / count;
  const between = Math.sqrt(values.reduce((sum, { value }) => sum + (value - mean) ** 2, 0) / (count - 1));
  const errors = values.flatMap(({ low, high }) => (low === null || high === null ? [] : [(high - low) / (2 * halfInterval)]));
  const within = errors.length === 0 ? null : Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);
  const half = Math.max(
    (studentQuantile(1 - tail, count - 1) * between) / Math.sqrt(count),
    (halfInterval * (within ?? 0)) / Math.sqrt(count),
  );
  return { mean, low: mean - half, high: mean + half, between, within };
}
