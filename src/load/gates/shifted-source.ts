import { countWhole } from "../samples/count-whole.ts";
import { tabulate } from "../samples/record-store.ts";
import { rereadOverflow } from "../samples/reread-overflow.ts";
import type { Extreme, LoopDelays } from "../samples/reread-record.ts";
import { type InstrumentError, shiftRecord } from "../samples/shift-record.ts";
import { createGateSource, type GateContext } from "./gate-source.ts";
import type { GateSource } from "./read-figure.ts";

/** The figures of a profile with each time moved by the error of the instrument. Made when it is asked for, once. */
export function createShiftedSource(context: GateContext, extreme: Extreme, error: InstrumentError): () => GateSource {
  let source: GateSource | null = null;
  return () => {
    if (source !== null) return source;
    const { slo } = context.profile;
    const measured = context.measured.map((record) => shiftRecord(record, extreme, error, slo));
    const overflow = context.overflow === null ? null : rereadOverflow(context.overflow, extreme, alwaysLate(error), slo);
    const totals = countWhole(measured, overflow);
    source = createGateSource({ ...context, measured, overflow, table: tabulate(measured, overflow), totals });
    return source;
  };
}

/** Requests that were counted are moved like those of a loop that was as late as the largest error all the time. */
function alwaysLate(error: InstrumentError): LoopDelays {
  const mostMs = Math.max(...Object.values(error));
  return { at: () => mostMs, within: () => mostMs, isStalled: () => false, isStalledIn: () => false, mostMs, heldMs: () => 0 };
}
