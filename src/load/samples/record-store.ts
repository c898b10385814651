import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import type { LoadRecord } from "./load-record.ts";
import { createSampleSet, type SampleSet } from "./sample-set.ts";

/**
 * Arrivals that are kept in full: all of the first so many, then on average this many a record, and fewer of a long profile. They
 * decide what a ledger takes on disk and in memory.
 */
const firstArrivals = 20_000;
const arrivalsEach = 8;
const recordsOfFull = 100_000;
/** Arrivals that one line of a ledger holds at most: of streams that used room saved up by others, and of the one that came last. */
export const mostArrivalsOfLine: number = 1_000_000;
const mostRoom = 0.4 * mostArrivalsOfLine;

/** Everything that a profile measured, in the order of completion. */
export interface RecordStore {
  add(record: LoadRecord): void;
  /** All records, warm-up included. */
  readonly records: readonly LoadRecord[];
}

/** `onRecord` gets every record as it is kept. */
export function createRecordStore(onRecord: (record: LoadRecord) => void = () => {}): RecordStore {
  const records: LoadRecord[] = [];
  let room = firstArrivals;
  return {
    records,
    add(record) {
      room = Math.min(room + (records.length < recordsOfFull ? arrivalsEach : 1), mostRoom);
      let kept = record;
      if (record.arrivals > 1) {
        // Whoever comes while there is room is kept, whatever its length: a sample that preferred short streams would describe those alone.
        if (room > 0 && record.arrivals <= mostRoom) room -= record.arrivals;
        // The first arrival holds the time per output token.
        else kept = { ...record, groups: record.groups.slice(0, 1) };
      }
      records.push(kept);
      onRecord(kept);
    },
  };
}

/** Sample sets of one phase, by metric, endpoint and outcome. */
export interface MetricTable {
  get(metric: LoadMetric, endpoint: EndpointId, outcome: OutcomeClass): MetricSamples | null;
  entries(): readonly MetricSamples[];
}

export interface MetricSamples {
  readonly metric: LoadMetric;
  readonly endpoint: EndpointId;
  readonly outcome: OutcomeClass;
  readonly samples: SampleSet;
  readonly estimated: boolean;
}

/**
 * Sorts the figures of records into sample sets; classes of outcome are never mixed. What we cut off was neither refused nor
 * wrong: the figures that it has (`visitFigures`) are those of answers.
 */
export function tabulate(records: Iterable<LoadRecord>): MetricTable {
  const table = new Map<string, MetricSamples & { estimated: boolean }>();
  // Records come in runs of one endpoint and outcome: the sets of the last pair are found without building a key.
  const pairs = new Map<string, Map<LoadMetric, MetricSamples & { estimated: boolean }>>();
  let endpoint: EndpointId | null = null;
  let outcome: OutcomeClass | null = null;
  let sets = new Map<LoadMetric, MetricSamples & { estimated: boolean }>();
  const add: VisitFigure = (metric, value, estimated) => {
    let found = sets.get(metric);
    if (found === undefined && endpoint !== null && outcome !== null) {
      found = { metric, endpoint, outcome, samples: createSampleSet(), estimated: false };
      sets.set(metric, found);
      table.set(`${metric}/${endpoint}/${outcome}`, found);
    }
    found?.samples.add(value);
    if (found !== undefined && estimated) found.estimated = true;
  };
  for (const record of records) {
    const as = record.outcome === "interrupted" ? "ok" : record.outcome;
    if (record.endpoint !== endpoint || as !== outcome) {
      endpoint = record.endpoint;
      outcome = as;
      const key = `${endpoint}/${outcome}`;
      sets = pairs.get(key) ?? new Map<LoadMetric, MetricSamples & { estimated: boolean }>();
      pairs.set(key, sets);
    }
    visitFigures(record, add);
  }
  return {
    get: (metric, endpoint, outcome) => table.get(`${metric}/${endpoint}/${outcome}`) ?? null,
    entries: () => [...table.values()],
  };
}

/** Gets one figure in milliseconds or tokens per second. A callback, not an iterator: there may be millions. */
export type VisitFigure = (metric: LoadMetric, value: number, estimated: boolean) => void;

/**
 * Every figure that one record contributes to distributions. Of an answer that we cut off: the instants that came before the
 * cut, and none that needs its end.
 */
export function visitFigures(record: LoadRecord, visit: VisitFigure): void {
  if (record.outcome === "not-sent") return;
  const cut = record.outcome === "interrupted";
  // It may have waited for a connection still.
  if (cut && record.reusedConnection === null) return;
  const { sentMs, answeredMs } = record;
  if (record.attempt === 1) visit("dispatch-delay", Math.max(0, sentMs - record.intendedMs), false);
  if (record.attempt === 1 && record.reusedConnection === false) visit("connect", sentMs - record.issuedMs, false);
  if (record.firstByteMs !== null) visit("ttfb", record.firstByteMs - sentMs, false);
  if (record.firstEventMs !== null) visit("ttfe", record.firstEventMs - sentMs, false);
  if (record.firstTokenMs !== null) visit("ttft", record.firstTokenMs - sentMs, false);
  if (record.firstOutputMs !== null) visit("ttfo", record.firstOutputMs - sentMs, false);
  if (record.arrivals > 1) visitGaps(record, visit);
  if (cut) return;
  visit("service-latency", answeredMs - sentMs, false);
  visit("user-latency", answeredMs - record.intendedMs, false);
  if (record.tpotMs !== null) visit("tpot", record.tpotMs, record.tpotEstimated);
  if (record.outputTokens !== null && record.stream !== null && answeredMs > sentMs) {
    visit("tokens-per-second", (1000 * record.outputTokens) / (answeredMs - sentMs), record.tokensEstimated);
  }
}

/**
 * Gaps between arrivals. Chunks of one network read are one arrival, so no gap of zero is made up; a gap is spread over the
 * tokens that ended it, by `usage` where it counts up in the chunks and by chunks, marked as estimated, elsewhere.
 */
function visitGaps(record: LoadRecord, visit: VisitFigure): void {
  const estimated = record.stream?.continuousUsage !== true;
  let beforeMs: number | null = null;
  for (const group of record.groups) {
    if (beforeMs !== null) {
      const gap = group.atMs - beforeMs;
      visit("inter-chunk", gap, false);
      const tokens = group.tokens ?? group.events;
      for (let token = 0; token < Math.min(tokens, 1000); token += 1) visit("inter-token", gap / tokens, estimated);
    }
    beforeMs = group.atMs;
  }
  // A longer one may have been under way.
  if (record.outcome !== "interrupted" && record.longestGapMs !== null) visit("longest-stall", record.longestGapMs, false);
}
