import { visibleJson } from "../../core/exchange/bodies/visible-json.ts";
import type { HealthSecond } from "../generator/generator-health.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { LedgerLine } from "./ledger-line.ts";
import { packRecords } from "./record-columns.ts";

/** Hands the records of one worker to the ledger, some at a time. */
export interface RecordLog {
  readonly add: (record: LoadRecord) => void;
  readonly health: (sample: HealthSecond) => void;
  /** Hands over what is held back. */
  readonly flush: () => void;
}

/** Rows of a line: columns of so many are small, and a crash loses no more than these. */
const mostRows = 256;

export function createRecordLog(worker: number, sink: LedgerSink): RecordLog {
  let records: LoadRecord[] = [];
  let samples: HealthSecond[] = [];
  const flushRecords = (): void => {
    if (records.length === 0) return;
    writeLine(sink, { kind: "records", loop: worker, rows: records.length, columns: packRecords(records) });
    records = [];
  };
  return {
    add(record) {
      records.push(record);
      if (records.length === mostRows) flushRecords();
    },
    health: (sample) => {
      samples.push(sample);
    },
    flush() {
      flushRecords();
      if (samples.length > 0) writeLine(sink, { kind: "health", loop: worker, samples });
      samples = [];
    },
  };
}

/** A line of the ledger; bytes of a target may stand in it. */
export function writeLine(sink: LedgerSink, line: LedgerLine): void {
  sink(visibleJson(line));
}

/** Takes lines of a ledger as JSON, one object each. */
export type LedgerSink = (json: string) => void;
