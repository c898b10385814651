import type { LoadSecond } from "../../core/result/load-figures.ts";
import { copyRecord } from "../samples/copy-record.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { tabulate } from "../samples/record-store.ts";
import { matchWhere } from "./match-where.ts";
import type { GateSource } from "./read-figure.ts";

/**
 * The same figures without any lateness of this machine: what arrived counts as arrived when its loop last turned before, and
 * what left late as due when it left. Times are no longer than the truth. In a second that was not measured nothing is known: there they are 0.
 */
export function createPunctualSource(source: GateSource, { records, seconds, startMs }: Lateness): GateSource {
  const delayOf = (atMs: number): number => {
    const second = Math.floor((atMs - startMs) / 1000);
    const before = seconds[second - 1];
    return Math.max(seconds[second]?.loopDelayMaxMs ?? Infinity, before === undefined ? 0 : (before.loopDelayMaxMs ?? Infinity));
  };
  let table: ReturnType<typeof tabulate> | null = null;
  return {
    ...source,
    where(gate) {
      const part = source.where(gate);
      const about = records.filter((record) => matchWhere(gate, record) === true);
      return "verdict" in part ? part : createPunctualSource(part, { records: about, seconds, startMs });
    },
    samples(metric, endpoint) {
      table ??= tabulate(records.map((record) => withoutLateness(record, delayOf)));
      return table.get(metric, endpoint, "ok")?.samples ?? null;
    },
  };
}

export interface Lateness {
  /** Of the measured window. */
  readonly records: readonly LoadRecord[];
  readonly seconds: readonly LoadSecond[];
  readonly startMs: number;
}

function withoutLateness(record: LoadRecord, delayOf: (atMs: number) => number): LoadRecord {
  const earlier = (atMs: number): number => Math.max(record.sentMs, atMs - delayOf(atMs));
  const orNull = (atMs: number | null): number | null => (atMs === null ? null : earlier(atMs));
  const longestGapMs = record.longestGapMs === null ? null : Math.max(0, record.longestGapMs - delayOf(record.endMs));
  return {
    ...copyRecord(record),
    // Nothing was late: what the generator took before the send is no wait of a user. A target made the user wait for what was sent again.
    intendedMs:
      record.attempt > 1
        ? Math.min(record.issuedMs, record.intendedMs + delayOf(record.intendedMs) + delayOf(record.issuedMs))
        : record.issuedMs,
    firstByteMs: orNull(record.firstByteMs),
    firstEventMs: orNull(record.firstEventMs),
    firstTokenMs: orNull(record.firstTokenMs),
    firstOutputMs: orNull(record.firstOutputMs),
    answeredMs: earlier(record.answeredMs),
    longestGapMs,
    // Gaps and their mean are differences of two instants, each as wrong as the other.
    tpotMs: record.tpotMs === null ? null : Math.max(0, record.tpotMs - delayOf(record.answeredMs)),
    groups: [],
    arrivals: 0,
  };
}
