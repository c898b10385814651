/** Values of one figure, counted in buckets: merging two of these loses nothing that either of them knew. */
export interface CountedValues {
  count: number;
  sum: number;
  min: number;
  max: number;
  /** By the lowest value of each bucket, in thousandths of the unit. */
  readonly buckets: Map<number, number>;
}

/** Eleven days in microseconds: beyond it stands what a hostile answer claims, and a histogram must not grow for it. */
const mostRecorded = 1e12;
/** Below it every thousandth has a bucket of its own, above a bucket is at most 1/1024 of its values wide: three digits of an HdrHistogram. */
const finest = 2048;

export function createCountedValues(): CountedValues {
  return { count: 0, sum: 0, min: Infinity, max: -Infinity, buckets: new Map() };
}

export function toRecorded(value: number): number {
  return Math.min(mostRecorded, Math.max(0, Math.round(1000 * value)));
}

export function bucketOf(recorded: number): number {
  let width = 1;
  while (recorded >= finest * width) width *= 2;
  return Math.floor(recorded / width) * width;
}

export function countValue(into: CountedValues, value: number): void {
  if (!Number.isFinite(value)) return;
  into.count += 1;
  into.sum += value;
  into.min = Math.min(into.min, value);
  into.max = Math.max(into.max, value);
  const bucket = bucketOf(toRecorded(value));
  into.buckets.set(bucket, (into.buckets.get(bucket) ?? 0) + 1);
}

export function addCountedValues(into: CountedValues, other: CountedValues): void {
  into.count += other.count;
  into.sum += other.sum;
  into.min = Math.min(into.min, other.min);
  into.max = Math.max(into.max, other.max);
  for (const [bucket, count] of other.buckets) into.buckets.set(bucket, (into.buckets.get(bucket) ?? 0) + count);
}
