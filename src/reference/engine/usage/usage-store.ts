import type { Switchboard } from "../../defects/switch.ts";
import type { KeyRecord } from "../keys/key-record.ts";
import { createEventTable } from "./event-table.ts";
import { bucketStartMs, bucketsOf, nextBucketMs } from "./bucket-calendar.ts";
import type { UsageEvent } from "./usage-event.ts";
import type { Granularity, UsageBucket, UsageQuery, UsageReport } from "./usage-report.ts";

/**
 * Every response ever billed, complete, streamed or aborted (spec, GET /v1/usage). Windows are half-open and cut buckets
 * event by event; buckets are hours, days and months of UTC; the aggregate is the exact sum of what is listed.
 */
export interface UsageStore {
  record(event: UsageEvent): void;
  report(caller: KeyRecord, query: UsageQuery, nowMs: number): UsageReport;
  save(): unknown;
  load(saved: unknown): void;
}

interface Sums {
  prompt: number;
  completion: number;
  micros: number;
}

/** Delay of the report where it is compiled by a job. */
const reportLagMs = 2000;
/** Longer lists leave out their empty buckets. */
const mostBuckets = 2000;
const localOffsetMs = 5.5 * 3_600_000;

export function createUsageStore(switches: Switchboard): UsageStore {
  let events = createEventTable();

  const isReported = (event: UsageEvent, caller: KeyRecord, nowMs: number): boolean => {
    if (event.account !== caller.account) return false;
    if (switches.on("usage/calling-key-only") && event.keyId !== caller.id) return false;
    if (switches.on("usage/nothing-counted")) return false;
    if (switches.on("usage/streams-missing") && event.streaming) return false;
    if (switches.on("usage/aborted-streams-missing") && event.aborted) return false;
    return !switches.on("usage/report-lags") || event.atMs <= nowMs - reportLagMs;
  };

  const isInside = (event: UsageEvent, fromMs: number, toMs: number): boolean => {
    if (switches.on("usage/window-ignored")) return true;
    if (switches.on("usage/to-inclusive") && event.atMs === toMs) return true;
    return event.atMs >= fromMs && (event.atMs < toMs || switches.on("usage/to-ignored"));
  };

  const tokensOf = (event: UsageEvent): number =>
    switches.on("usage/batches-counted-once") ? Math.ceil(event.promptTokens / event.items) : event.promptTokens;

  const bucketOf = (event: UsageEvent, granularity: Granularity, fromMs: number): number => {
    if (switches.on("usage/buckets-from-window-start")) {
      const stepMs = nextBucketMs(fromMs, granularity) - bucketStartMs(fromMs, granularity);
      return fromMs + Math.floor((event.atMs - fromMs) / stepMs) * stepMs;
    }
    if (switches.on("usage/first-bucket-cut")) return Math.max(fromMs, bucketStartMs(event.atMs, granularity));
    if (switches.on("usage/local-time")) return bucketStartMs(event.atMs + localOffsetMs, granularity) - localOffsetMs;
    return bucketStartMs(event.atMs, granularity);
  };

  const render = (startMs: number, sums: Sums): UsageBucket => ({
    timestamp: switches.on("usage/timestamp-in-seconds") ? startMs / 1000 : isoSeconds(startMs),
    prompt_tokens: sums.prompt,
    completion_tokens: sums.completion,
    total_tokens: sums.prompt + sums.completion + (switches.on("usage/total-mismatch") ? 1 : 0),
    cost_usd: renderCost(sums.micros),
  });

  const renderCost = (micros: number): number | string => {
    if (switches.on("usage/cost-as-string")) return (micros / 1e6).toFixed(6);
    if (switches.on("usage/cost-in-cents")) return micros / 1e4;
    return switches.on("usage/cost-rounded") ? Math.round(micros / 1e4) / 100 : micros / 1e6;
  };

  const report = (caller: KeyRecord, query: UsageQuery, nowMs: number): UsageReport => {
    const { fromMs, toMs } = query;
    const granularity = query.granularity ?? (switches.on("usage/default-hour") ? "hour" : "day");
    const buckets = new Map<string, { readonly startMs: number; readonly sums: Sums }>();
    const open = (startMs: number, part: string): Sums => {
      const id = `${startMs} ${part}`;
      const known = buckets.get(id) ?? { startMs, sums: { prompt: 0, completion: 0, micros: 0 } };
      buckets.set(id, known);
      return known.sums;
    };
    const lastMs = switches.on("usage/to-inclusive") ? toMs + 1 : toMs;
    const offsetMs = switches.on("usage/local-time") ? localOffsetMs : 0;
    if (!switches.on("usage/empty-buckets-omitted") && !switches.on("usage/buckets-from-window-start")) {
      const starts = bucketsOf(fromMs + offsetMs, lastMs + offsetMs, granularity, mostBuckets);
      const leastMs = switches.on("usage/first-bucket-cut") ? fromMs : Number.NEGATIVE_INFINITY;
      for (const startMs of starts) open(Math.max(leastMs, startMs - offsetMs), "");
    }
    const total: Sums = { prompt: 0, completion: 0, micros: 0 };
    for (let row = 0; row < events.size; row += 1) {
      const event = events.at(row);
      if (!isReported(event, caller, nowMs) || !isInside(event, fromMs, toMs)) continue;
      const part = switches.on("usage/bucket-per-key") ? event.keyId : "";
      const sums = open(bucketOf(event, granularity, fromMs), part);
      for (const sum of [sums, total]) {
        sum.prompt += tokensOf(event);
        sum.completion += event.completionTokens;
        sum.micros += event.costMicros;
      }
    }
    const ordered = [...buckets.values()].toSorted((a, b) => a.startMs - b.startMs);
    if (switches.on("usage/aggregate-drops-last-bucket")) {
      const last = ordered.findLast(({ sums }) => sums.micros > 0)?.sums;
      total.prompt -= last?.prompt ?? 0;
      total.completion -= last?.completion ?? 0;
      total.micros -= last?.micros ?? 0;
    }
    const tokens = switches.on("usage/aggregate-counts-prompt-only") ? total.prompt : total.prompt + total.completion;
    return {
      object: "list",
      data: ordered.map(({ startMs, sums }) => render(startMs, sums)),
      aggregate: { total_tokens: tokens, total_cost_usd: total.micros / 1e6 },
    };
  };

  return {
    record: (event) => events.push(event),
    report,
    save: () => Array.from({ length: events.size }, (_, row) => events.at(row)),
    load: (saved) => {
      events = createEventTable(saved as readonly UsageEvent[]);
    },
  };
}

/** `2026-11-21T00:00:00Z` */
function isoSeconds(instantMs: number): string {
  return new Date(instantMs).toISOString().replace(".000Z", "Z");
}
