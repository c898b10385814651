import { bucketStartMs, nextBucketMs } from "../../engine/usage/bucket-calendar.ts";
import type { UsageBucket } from "../../engine/usage/usage-report.ts";
import { lawfulUsageRules, type UsageRules, type UsageSums } from "../../engine/usage/usage-rules.ts";
import type { Switchboard } from "../switch.ts";
import { firstChange } from "./first-change.ts";

/** Delay of the report where it is compiled by a job. */
const reportLagMs = 2000;
/** Interval of the same job where it runs three times a minute. */
const reportStepMs = 20_000;
/** Tokens that a stream is billed beyond those of its usage. */
const moreForStreams = 5;
const dayMs = 86_400_000;
const localOffsetMs = 5.5 * 3_600_000;

export function patchUsageRules(switches: Switchboard): UsageRules {
  const lawful = lawfulUsageRules;

  const costUsd = firstChange(switches, (micros: number): UsageBucket["cost_usd"] => micros / 1e6, {
    "usage/cost-as-string": (micros) => (micros / 1e6).toFixed(6),
    "usage/cost-in-cents": (micros) => micros / 1e4,
    "usage/cost-rounded": (micros) => inCents(micros) / 100,
    "usage/cents": (micros) => inCents(micros) / 100,
  });

  return {
    defaultGranularity: firstChange(switches, lawful.defaultGranularity, { "usage/default-hour": () => "hour" }),
    isReported: (event, caller, nowMs) => {
      if (!lawful.isReported(event, caller, nowMs) || switches.on("usage/nothing-counted")) return false;
      if (switches.on("usage/calling-key-only") && event.keyId !== caller.id) return false;
      if (switches.on("usage/streams-missing") && event.streaming) return false;
      if (switches.on("usage/aborted-streams-missing") && event.aborted) return false;
      if (switches.on("usage/report-in-steps") && event.atMs > nowMs - (nowMs % reportStepMs)) return false;
      return !switches.on("usage/report-lags") || event.atMs <= nowMs - reportLagMs;
    },
    isInside: firstChange(switches, lawful.isInside, {
      "usage/window-ignored": () => true,
      "usage/to-inclusive": ({ atMs }, { fromMs, toMs }) => atMs === toMs || (atMs >= fromMs && atMs < toMs),
      "usage/last-day-whole": ({ atMs }, { fromMs, toMs }) => atMs >= fromMs && atMs < toMs - (toMs % dayMs) + dayMs,
      "usage/to-ignored": ({ atMs }, { fromMs }) => atMs >= fromMs,
      "usage/first-day-whole": ({ atMs }, { fromMs, toMs }) => atMs >= fromMs - (fromMs % dayMs) && atMs < toMs,
      "usage/first-month-whole": ({ atMs }, { fromMs, toMs }) => atMs >= bucketStartMs(fromMs, "month") && atMs < toMs,
    }),
    promptTokens: firstChange(switches, lawful.promptTokens, {
      "usage/batches-counted-once": ({ promptTokens, items }) => Math.ceil(promptTokens / items),
      "usage/streams-billed-more": ({ promptTokens, streaming }) => promptTokens + (streaming ? moreForStreams : 0),
    }),
    costMicros: firstChange(switches, lawful.costMicros, {
      "usage/images-free": ({ endpoint, costMicros }) => (endpoint === "images" ? 0 : costMicros),
      "usage/recordings-free": ({ endpoint, costMicros }) => (endpoint === "transcriptions" ? 0 : costMicros),
      "usage/all-free": () => 0,
    }),
    bucketStartMs: firstChange(switches, lawful.bucketStartMs, {
      "usage/buckets-from-window-start": ({ atMs }, { fromMs, granularity }) => {
        const stepMs = nextBucketMs(fromMs, granularity) - bucketStartMs(fromMs, granularity);
        return fromMs + Math.floor((atMs - fromMs) / stepMs) * stepMs;
      },
      "usage/months-of-30-days": (event, window) =>
        window.granularity === "month"
          ? Math.max(window.fromMs, event.atMs - (event.atMs % (30 * dayMs)))
          : lawful.bucketStartMs(event, window),
      "usage/first-bucket-cut": (event, window) => Math.max(window.fromMs, lawful.bucketStartMs(event, window)),
      "usage/local-time": ({ atMs }, { granularity }) => bucketStartMs(atMs + localOffsetMs, granularity) - localOffsetMs,
    }),
    part: (event) => (switches.on("usage/bucket-per-key") ? event.keyId : lawful.part(event)),
    listed: firstChange(switches, lawful.listed, {
      "usage/empty-buckets-omitted": () => [],
      "usage/buckets-from-window-start": () => [],
      "usage/months-of-30-days": (window) => (window.granularity === "month" ? [] : lawful.listed(window)),
      "usage/to-inclusive": (window) => lawful.listed({ ...window, toMs: window.toMs + 1 }),
      "usage/local-time": ({ fromMs, toMs, granularity }) =>
        lawful
          .listed({ fromMs: fromMs + localOffsetMs, toMs: toMs + localOffsetMs, granularity })
          .map((startMs) => startMs - localOffsetMs),
      "usage/first-bucket-cut": (window) => lawful.listed(window).map((startMs) => Math.max(window.fromMs, startMs)),
    }),
    bucket: (bucket, startMs, sums) => ({
      ...bucket,
      timestamp: switches.on("usage/timestamp-in-seconds") ? startMs / 1000 : spelled(bucket.timestamp, switches),
      total_tokens: bucket.total_tokens + (switches.on("usage/total-mismatch") ? 1 : 0),
      cost_usd: costUsd(sums.micros),
    }),
    aggregate: firstChange(switches, lawful.aggregate, {
      "usage/aggregate-drops-last-bucket": (total, buckets) => {
        const last = buckets.findLast(({ micros }) => micros > 0);
        return last === undefined ? total : less(total, last);
      },
      "usage/cents": (total, buckets) => ({
        ...total,
        micros: buckets.reduce((sum, { micros }) => sum + 1e4 * inCents(micros), 0),
      }),
      "usage/aggregate-counts-prompt-only": (total) => ({ ...total, completion: 0 }),
    }),
  };
}

function inCents(micros: number): number {
  return Math.round(micros / 1e4);
}

function less(a: UsageSums, b: UsageSums): UsageSums {
  return { prompt: a.prompt - b.prompt, completion: a.completion - b.completion, micros: a.micros - b.micros };
}

/** ISO 8601 has two formats: the basic one has no separators. */
function spelled(timestamp: string | number, switches: Switchboard): string | number {
  return typeof timestamp === "string" && switches.on("usage/basic-timestamps") ? timestamp.replaceAll(/[-:]/g, "") : timestamp;
}
