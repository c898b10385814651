import type { KeyRecord } from "../keys/key-record.ts";
import { createEventTable } from "./event-table.ts";
import type { UsageEvent } from "./usage-event.ts";
import type { UsageBucket, UsageQuery, UsageReport } from "./usage-report.ts";
import type { UsageRules, UsageSums, UsageWindow } from "./usage-rules.ts";

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

interface Bucket {
  readonly startMs: number;
  readonly sums: { -readonly [Name in keyof UsageSums]: UsageSums[Name] };
}

export function createUsageStore(rules: UsageRules): UsageStore {
  let events = createEventTable();

  /** Buckets with their sums, in the order of time. */
  const bucketsOf = (caller: KeyRecord, window: UsageWindow, nowMs: number): readonly Bucket[] => {
    const buckets = new Map<string, Bucket>();
    const open = (startMs: number, part: string): Bucket["sums"] => {
      const id = `${startMs} ${part}`;
      const known = buckets.get(id) ?? { startMs, sums: { prompt: 0, completion: 0, micros: 0 } };
      buckets.set(id, known);
      return known.sums;
    };
    for (const startMs of rules.listed(window)) open(startMs, "");
    for (let row = 0; row < events.size; row += 1) {
      const event = events.at(row);
      if (!rules.isReported(event, caller, nowMs) || !rules.isInside(event, window)) continue;
      const sums = open(rules.bucketStartMs(event, window), rules.part(event));
      sums.prompt += rules.promptTokens(event);
      sums.completion += event.completionTokens;
      sums.micros += rules.costMicros(event);
    }
    return [...buckets.values()].toSorted((a, b) => a.startMs - b.startMs);
  };

  const render = ({ startMs, sums }: Bucket): UsageBucket => {
    const bucket: UsageBucket = {
      timestamp: new Date(startMs).toISOString().replace(".000Z", "Z"),
      prompt_tokens: sums.prompt,
      completion_tokens: sums.completion,
      total_tokens: sums.prompt + sums.completion,
      cost_usd: sums.micros / 1e6,
    };
    return rules.bucket(bucket, startMs, sums);
  };

  const report = (caller: KeyRecord, query: UsageQuery, nowMs: number): UsageReport => {
    const window: UsageWindow = { ...query, granularity: query.granularity ?? rules.defaultGranularity() };
    const buckets = bucketsOf(caller, window, nowMs);
    const sums = buckets.map((bucket) => bucket.sums);
    const total = rules.aggregate(sums.reduce<UsageSums>(add, { prompt: 0, completion: 0, micros: 0 }), sums);
    return {
      object: "list",
      data: buckets.map(render),
      aggregate: { total_tokens: total.prompt + total.completion, total_cost_usd: total.micros / 1e6 },
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

function add(a: UsageSums, b: UsageSums): UsageSums {
  return { prompt: a.prompt + b.prompt, completion: a.completion + b.completion, micros: a.micros + b.micros };
}
