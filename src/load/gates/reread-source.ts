import { addTotals, countTotals } from "../samples/count-totals.ts";
import { tabulate } from "../samples/record-store.ts";
import { rereadOverflow } from "../samples/reread-overflow.ts";
import { type Extreme, type LoopDelays, rereadRecord } from "../samples/reread-record.ts";
import { speedWithoutDelays, type WaitingLoad } from "../samples/speed-without-delays.ts";
import { createGateSource, type GateContext } from "./gate-source.ts";
import type { GateSource } from "./read-figure.ts";

/**
 * The figures of a profile with each time at an end of what it can have been. Made when it is asked for, once. `waiting`: the load whose requests
 * wait for answers; null where a schedule sends them.
 */
export function createRereadSource(
  context: GateContext,
  extreme: Extreme,
  { delays, waiting }: { readonly delays: LoopDelays; readonly waiting: WaitingLoad | null },
): () => GateSource {
  let source: GateSource | null = null;
  return () => {
    if (source !== null) return source;
    const measured = context.measured.map((record) => rereadRecord(record, extreme, delays, context.profile.slo));
    const overflow = context.overflow === null ? null : rereadOverflow(context.overflow, extreme, delays, context.profile.slo);
    const totals = countTotals(measured);
    for (const counted of overflow?.totals.values() ?? []) addTotals(totals, counted);
    const observations = context.observations.map((seen) =>
      seen.id === "timed-out" ? { ...seen, count: totals.outcomes["timed-out"] ?? 0 } : seen,
    );
    const speed = extreme === "shortest" && waiting !== null ? speedWithoutDelays(waiting, delays) : 1;
    const figures = { measured, overflow, observations, table: tabulate(measured, overflow), totals, speed };
    source = createGateSource({ ...context, ...figures });
    return source;
  };
}
