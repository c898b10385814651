import type { EndpointId } from "../../core/exchange/endpoint.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";
import type { LoadRecord } from "./load-record.ts";
import type { Overflow } from "./overflow.ts";
import { joinedOutcome } from "./joined-outcome.ts";
import { visitFigures, type VisitFigure } from "./visit-figures.ts";
import { createSampleSet, type SampleSet } from "../statistics/sample-set.ts";

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
  /** All records that are kept, warm-up included. */
  readonly records: readonly LoadRecord[];
  /** Of all records. */
  readonly count: number;
}

export interface RecordStoreOptions {
  /** Gets every record as it is kept. */
  readonly onRecord?: (record: LoadRecord) => void;
  /** Default: all. */
  readonly most?: number;
  /** Gets every record beyond these. */
  readonly onOverflow?: (record: LoadRecord) => void;
}

export function createRecordStore({
  onRecord = () => {},
  most = Infinity,
  onOverflow = () => {},
}: RecordStoreOptions = {}): RecordStore {
  const records: LoadRecord[] = [];
  let count = 0;
  let room = firstArrivals;
  return {
    records,
    get count() {
      return count;
    },
    add(record) {
      count += 1;
      if (records.length >= most) {
        onOverflow(record);
        return;
      }
      room = Math.min(room + (records.length < recordsOfFull ? arrivalsEach : 1), mostRoom);
      let kept = record;
      if (record.arrivals > 1) {
        // Every stream that comes while there is room is kept, whatever its length: a sample that preferred short streams would
        // describe those alone.
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
  /** More than a few are derived from chunks in place of tokens, or from tokens of which nobody knows whether they arrived. */
  readonly estimated: boolean;
}

/** So few among all turn no percentile that anybody bounds. */
const mostGuessed = 0.005;

type OpenSamples = MetricSamples & { estimated: boolean; guessed: number };

/**
 * Sorts the figures of records into sample sets; classes of outcome are never mixed. The figures that came of a request which we cut
 * off or gave up (`visitFigures`) are those of answers.
 */
export function tabulate(records: Iterable<LoadRecord>, overflow: Pick<Overflow, "figures"> | null = null): MetricTable {
  const table = new Map<string, OpenSamples>();
  // Records come in runs of one endpoint and outcome: the sets of the last pair are found without building a key.
  const pairs = new Map<string, Map<LoadMetric, OpenSamples>>();
  let endpoint: EndpointId | null = null;
  let outcome: OutcomeClass | null = null;
  let sets = new Map<LoadMetric, OpenSamples>();
  const add: VisitFigure = (metric, value, certainty) => {
    let found = sets.get(metric);
    if (found === undefined && endpoint !== null && outcome !== null) {
      found = { metric, endpoint, outcome, samples: createSampleSet(), estimated: false, guessed: 0 };
      sets.set(metric, found);
      table.set(`${metric}/${endpoint}/${outcome}`, found);
    }
    if (found === undefined) return;
    if (certainty === "at-least") found.samples.addAtLeast(value);
    else found.samples.add(value);
    if (certainty === "estimated") found.guessed += 1;
  };
  for (const record of records) {
    const as = joinedOutcome(record.outcome);
    if (record.endpoint !== endpoint || as !== outcome) {
      endpoint = record.endpoint;
      outcome = as;
      const key = `${endpoint}/${outcome}`;
      sets = pairs.get(key) ?? new Map<LoadMetric, OpenSamples>();
      pairs.set(key, sets);
    }
    visitFigures(record, add);
  }
  for (const { metric, endpoint: where, outcome: counted, values, estimated } of overflow?.figures.values() ?? []) {
    const which = joinedOutcome(counted);
    const key = `${metric}/${where}/${which}`;
    const found = table.get(key) ?? {
      metric,
      endpoint: where,
      outcome: which,
      samples: createSampleSet(),
      estimated: false,
      guessed: 0,
    };
    if (counted === "timed-out") found.samples.mergeAtLeast(values);
    else found.samples.merge(values);
    if (estimated) found.estimated = true;
    table.set(key, found);
  }
  for (const found of table.values()) found.estimated ||= found.guessed > mostGuessed * found.samples.count;
  return {
    get: (metric, endpoint, outcome) => table.get(`${metric}/${endpoint}/${outcome}`) ?? null,
    entries: () => [...table.values()],
  };
}
