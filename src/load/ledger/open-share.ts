import type { HealthSecond } from "../generator/generator-health.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import type { ShareResult } from "../workers/share-result.ts";
import type { ShareLine } from "./ledger-line.ts";

/** What a worker measured, as far as it got. */
export interface OpenShare {
  readonly startMs: number;
  readonly fromMs: number;
  readonly records: LoadRecord[];
  readonly health: HealthSecond[];
  end: ShareLine | null;
}

/** Of a worker that did not end in order: as if it had been stopped after what it wrote last. */
export function closeShare({ startMs, fromMs, records, health, end }: OpenShare): ShareResult {
  if (end !== null) {
    const { kind: _kind, loop: _loop, ...rest } = end;
    return { startMs, fromMs, records, health, ...rest };
  }
  const endMs = records.reduce((latest, record) => Math.max(latest, record.endMs), fromMs);
  const sent = records.filter((record) => record.outcome !== "not-sent");
  return {
    startMs,
    fromMs,
    records,
    health,
    // Nobody counted to the end: what the records add up to contradicts nothing.
    areaMs: sent.reduce((sum, record) => sum + record.endMs - record.issuedMs, 0),
    planned: records.filter((record) => record.attempt === 1).length,
    retried: records.filter((record) => record.attempt > 1).length,
    races: { count: 0, outOf: sent.length },
    toMs: endMs,
    endMs,
    rates: [],
    stopReason: { kind: "lost", words: "the run ended before it was over" },
  };
}
