import type { LoadRecord } from "../samples/load-record.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { driftOf } from "../statistics/steady-state.ts";

/** By how much answers took longer at the end than at the beginning, if they drift by the same test as that of the steady state; else 0. */
export function growthOf(measured: readonly LoadRecord[]): number {
  const latencies = latenciesOf(measured);
  const fifth = Math.floor(latencies.length / 5);
  if (fifth === 0 || driftOf(latencies) !== 1) return 0;
  const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.max(0, mean(latencies.subarray(-fifth)) - mean(latencies.subarray(0, fifth)));
}

function latenciesOf(records: readonly LoadRecord[]): Float64Array {
  return collectFigures(records, (record) =>
    record.outcome === "ok" ? (record.firstTokenMs ?? record.answeredMs) - record.intendedMs : null,
  );
}
