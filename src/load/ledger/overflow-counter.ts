import type { LoadRecord } from "../samples/load-record.ts";
import { addOverflow, countRecord, createOverflow, type Overflow } from "../samples/overflow.ts";
import { packOverflow } from "./overflow-line.ts";
import { writeLine, type LedgerSink } from "./record-log.ts";

/** Counts the records of one worker that are not kept. */
export interface OverflowCounter {
  readonly count: (record: LoadRecord) => void;
  /** Hands over what was counted since the call before. */
  readonly flush: () => void;
  /** All that was handed over; null: nothing. */
  readonly overflow: Overflow | null;
}

export function createOverflowCounter(options: {
  readonly worker: number;
  readonly startMs: number;
  readonly ledger: LedgerSink | undefined;
}): OverflowCounter {
  const { worker, startMs, ledger } = options;
  let all: Overflow | null = null;
  let since: Overflow | null = null;
  return {
    count: (record) => countRecord((since ??= createOverflow()), record, startMs),
    flush() {
      if (since === null) return;
      // Part by part, as a reader of the lines adds them up: sums of fractions come out the same.
      addOverflow((all ??= createOverflow()), since);
      if (ledger !== undefined) writeLine(ledger, packOverflow(worker, since));
      since = null;
    },
    get overflow() {
      return all;
    },
  };
}
