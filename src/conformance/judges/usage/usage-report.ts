import type { ExchangeFacts } from "../../../core/exchange/exchange-facts.ts";
import { isDescribedSuccess } from "../../judging/subjects.ts";
import { isJsonObject, type JsonValue } from "../../judging/json-value.ts";
import { parseIsoInstant, type IsoInstant } from "./iso-instant.ts";

export type Granularity = "hour" | "day" | "month";

/** A successful usage report with its query, read as far as it can be read. */
export interface UsageReport {
  readonly exchange: ExchangeFacts;
  readonly query: UsageQuery;
  /** null: `data` is no array. */
  readonly buckets: readonly UsageBucket[] | null;
  readonly totalTokens: number | null;
  readonly totalCostUsd: number | null;
}

export interface UsageQuery {
  readonly from: string | null;
  readonly to: string | null;
  /** As requested; null when the request named none. */
  readonly granularity: string | null;
  /** Unix milliseconds, null when absent or no instant. */
  readonly fromMs: number | null;
  readonly toMs: number | null;
}

export interface UsageBucket {
  readonly timestamp: JsonValue | undefined;
  /** null: the timestamp is no ISO 8601 string. */
  readonly start: IsoInstant | null;
  readonly promptTokens: number | null;
  readonly completionTokens: number | null;
  readonly totalTokens: number | null;
  readonly costUsd: number | null;
}

export function readUsageQuery({ request }: ExchangeFacts): UsageQuery {
  const query = new URLSearchParams(request.path.split("?")[1]);
  const [from, to] = [query.get("from"), query.get("to")];
  return {
    from,
    to,
    granularity: query.get("granularity"),
    fromMs: instantOf(from),
    toMs: instantOf(to),
  };
}

export interface UsageWindow {
  readonly fromMs: number;
  readonly toMs: number;
}

/** null: the request names no two instants of which the first is earlier. */
export function windowOf({ fromMs, toMs }: UsageQuery): UsageWindow | null {
  return fromMs === null || toMs === null || fromMs >= toMs ? null : { fromMs, toMs };
}

function instantOf(text: string | null): number | null {
  return parseIsoInstant(text ?? "")?.unixMs ?? null;
}

/** null: no successful usage report. */
export function readUsageReport(exchange: ExchangeFacts): UsageReport | null {
  // A report with an age says what was used at another time.
  if (exchange.endpoint !== "usage" || !isDescribedSuccess(exchange) || exchange.isCached) return null;
  const body = exchange.responseObject;
  if (body === null) return null;
  const { aggregate } = body;
  const { total_tokens: totalTokens, total_cost_usd: totalCost } = isJsonObject(aggregate) ? aggregate : {};
  return {
    exchange,
    query: readUsageQuery(exchange),
    // Read when asked for: judges compare dozens of reports, each of which may hold as many buckets as it likes.
    get buckets() {
      const data = exchange.responseObject?.["data"];
      return Array.isArray(data) ? (data as readonly JsonValue[]).map(readBucket) : null;
    },
    totalTokens: numberOrNull(totalTokens),
    totalCostUsd: numberOrNull(totalCost),
  };
}

/** The begins of the buckets, Unix milliseconds; null if one of them does not state it. */
export function startsOf(buckets: readonly UsageBucket[]): readonly number[] | null {
  const starts = buckets.map(({ start }) => start?.unixMs).filter((start) => start !== undefined);
  return starts.length === buckets.length ? starts : null;
}

/** The granularity that applies: `day` when the request named none. null: a value without a stated meaning. */
export function granularityOf({ granularity }: UsageQuery): Granularity | null {
  if (granularity === null) return "day";
  return granularity === "hour" || granularity === "day" || granularity === "month" ? granularity : null;
}

/** Start of the next bucket, in UTC. */
export function nextBucketMs(startMs: number, granularity: Granularity): number {
  if (granularity === "hour") return startMs + 3_600_000;
  if (granularity === "day") return startMs + 86_400_000;
  const start = new Date(startMs);
  const next = Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, start.getUTCDate());
  return next + (startMs % 86_400_000);
}

/** Whether an instant is where a bucket begins, in UTC. */
export function isBucketEdge(unixMs: number, granularity: Granularity): boolean {
  if (granularity === "hour") return unixMs % 3_600_000 === 0;
  if (unixMs % 86_400_000 !== 0) return false;
  return granularity === "day" || new Date(unixMs).getUTCDate() === 1;
}

function readBucket(value: JsonValue): UsageBucket {
  const bucket = isJsonObject(value) ? value : {};
  const { timestamp, prompt_tokens, completion_tokens, total_tokens, cost_usd } = bucket;
  return {
    timestamp,
    start: typeof timestamp === "string" ? parseIsoInstant(timestamp) : null,
    promptTokens: numberOrNull(prompt_tokens),
    completionTokens: numberOrNull(completion_tokens),
    totalTokens: numberOrNull(total_tokens),
    costUsd: numberOrNull(cost_usd),
  };
}

function numberOrNull(value: JsonValue | undefined): number | null {
  return typeof value === "number" ? value : null;
}
