import type { Granularity } from "./usage-report.ts";

const hourMs = 3_600_000;

/** Start in UTC of the hour, day or month that contains the instant. */
export function bucketStartMs(instantMs: number, granularity: Granularity): number {
  if (granularity === "hour") return Math.floor(instantMs / hourMs) * hourMs;
  if (granularity === "day") return Math.floor(instantMs / (24 * hourMs)) * 24 * hourMs;
  const instant = new Date(instantMs);
  return Date.UTC(instant.getUTCFullYear(), instant.getUTCMonth());
}

/** Start of the bucket after the one that contains the instant. */
export function nextBucketMs(instantMs: number, granularity: Granularity): number {
  const startMs = bucketStartMs(instantMs, granularity);
  if (granularity === "hour") return startMs + hourMs;
  if (granularity === "day") return startMs + 24 * hourMs;
  const start = new Date(startMs);
  return Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1);
}

/** Starts of all buckets that share an instant with [fromMs, toMs); none when they are more than `most`. */
export function bucketsOf(fromMs: number, toMs: number, granularity: Granularity, most: number): readonly number[] {
  const starts: number[] = [];
  if (toMs <= fromMs) return starts;
  for (let startMs = bucketStartMs(fromMs, granularity); startMs < toMs; startMs = nextBucketMs(startMs, granularity)) {
    if (starts.length === most) return [];
    starts.push(startMs);
  }
  return starts;
}
