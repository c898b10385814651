import type { KeyRecord } from "../keys/key-record.ts";
import { bucketsOf, bucketStartMs } from "./bucket-calendar.ts";
import type { UsageEvent } from "./usage-event.ts";
import type { Granularity, UsageBucket, UsageQuery } from "./usage-report.ts";

export interface UsageSums {
  readonly prompt: number;
  readonly completion: number;
  readonly micros: number;
}

/** The window of a report, its granularity chosen. */
export type UsageWindow = UsageQuery & { readonly granularity: Granularity };

/** The rules of a usage report: the events that it counts, and the buckets of time. */
export interface UsageRules {
  readonly defaultGranularity: () => Granularity;
  readonly isReported: (event: UsageEvent, caller: KeyRecord, nowMs: number) => boolean;
  readonly isInside: (event: UsageEvent, window: UsageWindow) => boolean;
  readonly promptTokens: (event: UsageEvent) => number;
  readonly costMicros: (event: UsageEvent) => number;
  readonly bucketStartMs: (event: UsageEvent, window: UsageWindow) => number;
  /** The name of the part of a bucket that an event belongs to, if buckets have parts. */
  readonly part: (event: UsageEvent) => string;
  /** Starts of the buckets that are listed even when they are empty. */
  readonly listed: (window: UsageWindow) => readonly number[];
  /** A bucket as written. */
  readonly bucket: (bucket: UsageBucket, startMs: number, sums: UsageSums) => UsageBucket;
  /** Sums of the aggregate; `buckets` are in the order of time. */
  readonly aggregate: (total: UsageSums, buckets: readonly UsageSums[]) => UsageSums;
}

/** Longer lists leave out their empty buckets. */
const mostBuckets = 2000;

/** The whole account; windows are half-open; buckets are hours, days and months of UTC. */
export const lawfulUsageRules: UsageRules = {
  defaultGranularity: () => "day",
  isReported: (event, caller) => event.account === caller.account,
  isInside: ({ atMs }, { fromMs, toMs }) => atMs >= fromMs && atMs < toMs,
  promptTokens: (event) => event.promptTokens,
  costMicros: (event) => event.costMicros,
  bucketStartMs: ({ atMs }, { granularity }) => bucketStartMs(atMs, granularity),
  part: () => "",
  listed: ({ fromMs, toMs, granularity }) => bucketsOf(fromMs, toMs, granularity, mostBuckets),
  bucket: (bucket) => bucket,
  aggregate: (total) => total,
};
