import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../core/result/load-result.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { describeDistributions } from "../samples/load-views.ts";
import { tabulate } from "../samples/record-store.ts";
import { selectRecords } from "../samples/select-records.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { driftOf, mser5 } from "../statistics/steady-state.ts";
import type { SummaryInput } from "./summary-input.ts";

interface SteadyState {
  readonly state: LoadProfileResult["steadyState"];
  readonly distributions: readonly LoadDistribution[];
}

export const unsteady: SteadyState = { state: null, distributions: [] };

/**
 * The steady state: truncation by MSER-5 on latencies of successes in order of intent, accepted only when the rest does not
 * drift. There is none when the profile is meant to change its rate or never becomes steady.
 */
export function describeSteadyState(measured: readonly LoadRecord[], { startMs, fromMs, toMs }: SummaryInput): SteadyState {
  const answers = selectRecords(measured, (record) => record.outcome === "ok").toSorted((a, b) => a.intendedMs - b.intendedMs);
  const latencies = latenciesOf(answers);
  const cut = mser5(latencies);
  if (cut === null || driftOf(latencies.subarray(cut)) !== 0) return unsteady;
  const steadyMs = cut === 0 ? fromMs : (answers[cut]?.intendedMs ?? fromMs);
  const method = "MSER-5 truncation, then no trend by Mann-Kendall at 1 %";
  const state = { fromMs: steadyMs - startMs, toMs: toMs - startMs, method };
  // A steady state that is the whole window would only repeat it.
  if (steadyMs === fromMs) return { state, distributions: [] };
  const table = tabulate(selectRecords(measured, (record) => record.intendedMs >= steadyMs));
  return { state, distributions: describeDistributions(table, "steady") };
}

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
