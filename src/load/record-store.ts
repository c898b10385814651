import type { EndpointId } from "../core/endpoint.ts";
import type { LoadMetric, OutcomeClass } from "../core/load-result.ts";
import type { LoadRecord } from "./load-record.ts";
import { createSampleSet, type SampleSet } from "./sample-set.ts";

/** Events of streams that are kept for the second pass over the steady state and for samples. */
const groupBudget = 2_000_000;

/** Everything that a profile measured, in the order of completion. */
export interface RecordStore {
  add(record: LoadRecord): void;
  /** All records, warm-up included; `groups` is empty beyond the memory bound. */
  readonly records: readonly LoadRecord[];
  /** Whether the arrival groups of every record were kept. */
  readonly complete: boolean;
}

export function createRecordStore(): RecordStore {
  const records: LoadRecord[] = [];
  let groups = 0;
  let complete = true;
  return {
    records,
    get complete() {
      return complete;
    },
    add(record) {
      groups += record.groups.length;
      if (groups <= groupBudget) {
        records.push(record);
      } else {
        complete = false;
        records.push({ ...record, groups: [] });
      }
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

/** Sorts the figures of records into sample sets; classes of outcome are never mixed. */
export function tabulate(records: Iterable<LoadRecord>): MetricTable {
  const table = new Map<string, { entry: MetricSamples; estimated: boolean }>();
  const add = (metric: LoadMetric, record: LoadRecord, value: number, estimated = false): void => {
    const key = `${metric}/${record.endpoint}/${record.outcome}`;
    let found = table.get(key);
    if (found === undefined) {
      const { endpoint, outcome } = record;
      found = { entry: { metric, endpoint, outcome, samples: createSampleSet(), estimated: false }, estimated: false };
      table.set(key, found);
    }
    found.entry.samples.add(value);
    found.estimated ||= estimated;
  };
  for (const record of records) {
    for (const figure of figuresOf(record)) add(figure.metric, record, figure.value, figure.estimated);
  }
  const finished = new Map([...table].map(([key, { entry, estimated }]) => [key, Object.assign(entry, { estimated })]));
  return {
    get: (metric, endpoint, outcome) => finished.get(`${metric}/${endpoint}/${outcome}`) ?? null,
    entries: () => [...finished.values()],
  };
}

export interface Figure {
  readonly metric: LoadMetric;
  readonly value: number;
  readonly estimated: boolean;
}

/** Every figure that one record contributes to distributions, in milliseconds or tokens per second. */
export function* figuresOf(record: LoadRecord): Generator<Figure> {
  if (record.outcome === "not-sent") return;
  const exact = (metric: LoadMetric, value: number): Figure => ({ metric, value, estimated: false });
  if (record.attempt === 1) yield exact("dispatch-delay", Math.max(0, record.sentMs - record.intendedMs));
  if (record.attempt === 1 && record.reusedConnection === false) yield exact("connect", record.sentMs - record.issuedMs);
  if (record.firstByteMs !== null) yield exact("ttfb", record.firstByteMs - record.sentMs);
  if (record.firstEventMs !== null) yield exact("ttfe", record.firstEventMs - record.sentMs);
  if (record.firstTokenMs !== null) yield exact("ttft", record.firstTokenMs - record.sentMs);
  if (record.firstOutputMs !== null) yield exact("ttfo", record.firstOutputMs - record.sentMs);
  yield exact("service-latency", record.answeredMs - record.sentMs);
  yield exact("user-latency", record.answeredMs - record.intendedMs);
  if (record.tpotMs !== null) yield { metric: "tpot", value: record.tpotMs, estimated: record.tpotEstimated };
  if (record.outputTokens !== null && record.stream !== null && record.answeredMs > record.sentMs) {
    const value = (1000 * record.outputTokens) / (record.answeredMs - record.sentMs);
    yield { metric: "tokens-per-second", value, estimated: record.tokensEstimated };
  }
  yield* gapsOf(record);
}

/**
 * Gaps between arrivals. Chunks of one network read are one arrival, so no gap of zero is made up; a gap is spread over the
 * tokens that ended it, by `usage` where it counts up in the chunks and by chunks, marked as estimated, elsewhere.
 */
function* gapsOf(record: LoadRecord): Generator<Figure> {
  let longest: number | null = null;
  for (let index = 1; index < record.groups.length; index += 1) {
    const group = record.groups[index];
    const gap = (group?.atMs ?? 0) - (record.groups[index - 1]?.atMs ?? 0);
    longest = Math.max(longest ?? 0, gap);
    yield { metric: "inter-chunk", value: gap, estimated: false };
    const tokens = group?.tokens ?? group?.events ?? 1;
    for (let token = 0; token < Math.min(tokens, 1000); token += 1) {
      yield { metric: "inter-token", value: gap / tokens, estimated: record.stream?.continuousUsage !== true };
    }
  }
  if (longest !== null) yield { metric: "longest-stall", value: longest, estimated: false };
}
