import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LoadBlocks, LoadDistribution, LoadHeatmap, LoadMetric, StreamSample } from "../../core/result/load-figures.ts";
import type { Random } from "../../core/random.ts";
import type { LoadRecord } from "./load-record.ts";
import { estimatePercentile, reportedPercentiles } from "../statistics/percentile-estimate.ts";
import { selectRecords } from "./select-records.ts";
import type { MetricTable } from "./record-store.ts";
import { visitFigures, type VisitFigure } from "./visit-figures.ts";

/** Distributions of a table, in a stable order. */
export function describeDistributions(table: MetricTable, phase: LoadDistribution["phase"]): readonly LoadDistribution[] {
  return table
    .entries()
    .map(({ metric, endpoint, outcome, samples, estimated }) => ({
      metric,
      endpoint,
      outcome,
      phase,
      unit: metric === "tokens-per-second" ? ("tokens/s" as const) : ("ms" as const),
      estimated,
      count: samples.count,
      ...(samples.open > 0 && { givenUp: samples.open }),
      min: samples.min(),
      mean: samples.open > 0 ? null : samples.mean(),
      max: samples.open > 0 ? null : samples.max(),
      percentiles: reportedPercentiles.map((percentile) => {
        const { bounds: _, ...estimate } = estimatePercentile(samples, percentile);
        return estimate;
      }),
      histogram: samples.histogram(),
    }))
    .sort((a, b) => `${a.endpoint}/${a.metric}/${a.outcome}`.localeCompare(`${b.endpoint}/${b.metric}/${b.outcome}`, "en"));
}

/** User latency of successes over time, 60 columns at most, rows by a factor of about 1.5. */
export function drawHeatmap(
  records: readonly LoadRecord[],
  lengthMs: number,
  placeOf: (atMs: number) => number,
): LoadHeatmap | null {
  const subjects = selectRecords(records, (record) => record.outcome === "ok");
  if (subjects.length === 0 || lengthMs <= 0) return null;
  const columnMs = Math.max(250, Math.ceil(lengthMs / 60 / 250) * 250);
  const columns = Math.ceil(lengthMs / columnMs);
  const slowest = subjects.reduce((most, record) => Math.max(most, record.answeredMs - record.intendedMs), 0);
  const rowsMs: number[] = [1];
  while ((rowsMs.at(-1) ?? 0) < slowest) rowsMs.push(Math.round(1000 * (rowsMs.at(-1) ?? 1) * 1.5) / 1000);
  const cells = Array.from({ length: columns }, () => Array.from({ length: rowsMs.length }, () => 0));
  for (const record of subjects) {
    const column = cells[Math.min(columns - 1, Math.max(0, Math.floor(placeOf(record.intendedMs) / columnMs)))];
    const row = rowOf(record.answeredMs - record.intendedMs, rowsMs);
    if (column !== undefined && row >= 0) column[row] = (column[row] ?? 0) + 1;
  }
  return { columnMs, rowsMs, cells };
}

/** First row whose upper edge is not below the value: edges grow by one factor, so the logarithm is nearly there. */
function rowOf(value: number, rowsMs: readonly number[]): number {
  let row = value <= 1 ? 0 : Math.max(0, Math.floor(Math.log(value) / Math.log(1.5)));
  while (row < rowsMs.length && (rowsMs[row] ?? 0) < value) row += 1;
  return row < rowsMs.length ? row : -1;
}

/** The three slowest streams and three by chance, for a waterfall; at most 400 arrivals each. */
export function sampleStreams(records: readonly LoadRecord[], startMs: number, random: Random): readonly StreamSample[] {
  const streams = selectRecords(records, (record) => record.stream !== null && record.arrivals > 0 && isWhole(record));
  const slowest = streams.toSorted((a, b) => b.answeredMs - b.sentMs - (a.answeredMs - a.sentMs)).slice(0, 3);
  const others = streams.filter((record) => !slowest.includes(record));
  const picked: LoadRecord[] = [];
  while (picked.length < 3 && others.length > 0) picked.push(...others.splice(random.integer(0, others.length - 1), 1));
  const view = (record: LoadRecord, why: StreamSample["why"]): StreamSample => ({
    seq: record.seq,
    why,
    intendedMs: record.intendedMs - startMs,
    sentMs: record.sentMs - startMs,
    headersMs: record.headersMs === null ? null : record.headersMs - startMs,
    firstTokenMs: record.firstTokenMs === null ? null : record.firstTokenMs - startMs,
    eventsMs: record.groups.slice(0, 400).map((group) => group.atMs - startMs),
    endMs: record.endMs - startMs,
    done: record.stream?.done === true,
  });
  return [...slowest.map((record) => view(record, "slowest")), ...picked.map((record) => view(record, "random"))];
}

/** Its arrivals were all kept (`createRecordStore`). */
function isWhole(record: LoadRecord): boolean {
  return record.arrivals <= 1 || record.groups.length === record.arrivals;
}

/** Metrics that a comparison resamples. */
const comparedMetrics: ReadonlySet<LoadMetric> = new Set<LoadMetric>([
  "ttft",
  "inter-chunk",
  "tpot",
  "service-latency",
  "user-latency",
]);

/** Relative width of the buckets that blocks are kept in: below any effect worth calling one. */
export const bucketWidth = 0.01;

/** The measured window cut into 8 to 60 blocks of at least half a second; null when it is shorter than 4 s. */
export function cutBlocks(
  records: readonly LoadRecord[],
  lengthMs: number,
  placeOf: (atMs: number) => number,
): LoadBlocks | null {
  const number = Math.min(60, Math.floor(lengthMs / 500));
  if (number < 8) return null;
  const blockMs = lengthMs / number;
  const zeros = (): number[] => Array.from({ length: number }, () => 0);
  const [attempted, ok, good, outputTokens] = [zeros(), zeros(), zeros(), zeros()];
  const buckets = new Map<string, { metric: LoadMetric; endpoint: EndpointId; counts: Map<number, number>[] }>();
  const perLog = 1 / Math.log1p(bucketWidth);
  let block = 0;
  let endpoint: EndpointId = "chat";
  const count: VisitFigure = (metric, value) => {
    if (!comparedMetrics.has(metric)) return;
    const key = `${metric}/${endpoint}`;
    let found = buckets.get(key);
    if (found === undefined) {
      found = { metric, endpoint, counts: Array.from({ length: number }, () => new Map<number, number>()) };
      buckets.set(key, found);
    }
    const bucket = Math.round(Math.log(Math.max(1, 1000 * value)) * perLog);
    const counts = found.counts[block];
    counts?.set(bucket, (counts.get(bucket) ?? 0) + 1);
  };
  for (const record of records) {
    block = Math.floor(placeOf(record.intendedMs) / blockMs);
    if (block < 0 || block >= number) continue;
    if (record.attempt === 1) attempted[block] = (attempted[block] ?? 0) + 1;
    if (record.good) good[block] = (good[block] ?? 0) + 1;
    if (record.outcome !== "ok") continue;
    ok[block] = (ok[block] ?? 0) + 1;
    outputTokens[block] = (outputTokens[block] ?? 0) + (record.outputTokens ?? 0);
    endpoint = record.endpoint;
    visitFigures(record, count);
  }
  return {
    blockMs,
    bucketWidth,
    attempted,
    ok,
    good,
    outputTokens,
    metrics: [...buckets.values()].map(({ metric, endpoint, counts }) => ({
      metric,
      endpoint,
      counts: counts.map((block) => [...block].sort(([a], [b]) => a - b).flat()),
    })),
  };
}
