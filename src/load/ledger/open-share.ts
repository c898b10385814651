import type { HealthSecond } from "../generator/generator-health.ts";
import { addOverflow, createOverflow, type Overflow } from "../samples/overflow.ts";
import { type OverflowLine, unpackOverflow } from "./overflow-line.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { ShareResult } from "./share-result.ts";
import type { ShareLine } from "./ledger-line.ts";

/** The measurement of a worker, as far as it got. */
export interface OpenShare {
  readonly startMs: number;
  readonly fromMs: number;
  readonly records: LoadRecord[];
  overflow: Overflow | null;
  readonly health: HealthSecond[];
  end: ShareLine | null;
}

export function openShare({ startMs, fromMs }: Pick<OpenShare, "startMs" | "fromMs">): OpenShare {
  return { startMs, fromMs, records: [], overflow: null, health: [], end: null };
}

export function takeOverflow(share: OpenShare, line: OverflowLine): void {
  addOverflow((share.overflow ??= createOverflow()), unpackOverflow(line));
}

/** Of a worker that did not end in order: as if it had been stopped after what it wrote last. */
export function closeShare({ startMs, fromMs, records, overflow, health, end }: OpenShare): ShareResult {
  if (end !== null) {
    const { kind: _kind, loop: _loop, ...rest } = end;
    return { startMs, fromMs, records, overflow, health, ...rest };
  }
  const endMs = records.reduce((latest, record) => Math.max(latest, record.endMs), Math.max(fromMs, overflow?.lastEndMs ?? 0));
  const sent = records.filter((record) => record.outcome !== "not-sent");
  return {
    startMs,
    fromMs,
    records,
    overflow,
    health,
    // Nobody counted to the end: what the records add up to contradicts nothing.
    areaMs: sent.reduce((sum, record) => sum + record.endMs - record.issuedMs, overflow?.areaMs ?? 0),
    planned: records.filter((record) => record.attempt === 1).length + (overflow?.planned ?? 0),
    retried:
      records.filter((record) => record.attempt > 1).length + (overflow === null ? 0 : overflow.records - overflow.planned),
    races: { count: 0, outOf: sent.length + (overflow?.sent ?? 0) },
    toMs: endMs,
    endMs,
    rates: [],
    stopReason: { kind: "lost", words: "the run ended before it was over" },
  };
}
