import type { KeyRecord } from "../keys/key-record.ts";
import type { UsageEvent } from "./usage-event.ts";
import type { UsageBucket, UsageQuery, UsageReport } from "./usage-report.ts";
import type { UsageRules, UsageSums, UsageWindow } from "./usage-rules.ts";

/** Grows by one row per billed response: 48 bytes instead of an object, so that a soak of millions fits. */
interface EventTable {
  push(event: UsageEvent): void;
  readonly size: number;
  at(row: number): UsageEvent;
}

type Source = Pick<UsageEvent, "account" | "keyId" | "endpoint" | "streaming" | "aborted">;

const columns = 6;
const firstRows = 1024;

export function createEventTable(events: Iterable<UsageEvent> = []): EventTable {
  let cells = new Float64Array(firstRows * columns);
  let size = 0;
  // Few sources account for all events: keys x endpoints x kinds of response.
  const sources: Source[] = [];
  const indexes = new Map<string, number>();

  const sourceIndex = ({ account, keyId, endpoint, streaming, aborted }: UsageEvent): number => {
    const name = `${account} ${keyId} ${endpoint} ${String(streaming)} ${String(aborted)}`;
    const known = indexes.get(name);
    if (known !== undefined) return known;
    indexes.set(name, sources.length);
    return sources.push({ account, keyId, endpoint, streaming, aborted }) - 1;
  };

  const push = (event: UsageEvent): void => {
    if ((size + 1) * columns > cells.length) {
      const larger = new Float64Array(cells.length * 2);
      larger.set(cells);
      cells = larger;
    }
    const { atMs, items, promptTokens, completionTokens, costMicros } = event;
    cells.set([atMs, sourceIndex(event), items, promptTokens, completionTokens, costMicros], size * columns);
    size += 1;
  };
  for (const event of events) push(event);

  return {
    push,
    get size() {
      return size;
    },
    at: (row) => {
      const start = row * columns;
      return {
        ...sources[cells[start + 1]!]!,
        atMs: cells[start]!,
        items: cells[start + 2]!,
        promptTokens: cells[start + 3]!,
        completionTokens: cells[start + 4]!,
        costMicros: cells[start + 5]!,
      };
    },
  };
}

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
