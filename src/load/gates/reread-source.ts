import { isScheduled } from "../arrivals/arrival-kinds.ts";
import { countWhole } from "../samples/count-whole.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { tabulate } from "../samples/record-store.ts";
import { rereadOverflow } from "../samples/reread-overflow.ts";
import { type Extreme, type LoopDelays, rereadRecord } from "../samples/reread-record.ts";
import { fillSparePlaces } from "../samples/spare-places.ts";
import { speedWithoutDelays, type WaitingLoad } from "../samples/speed-without-delays.ts";
import { createGateSource, type GateContext } from "./gate-source.ts";
import type { GateSource } from "./read-figure.ts";

/**
 * The figures of a profile with each time at an end of what it can have been. Made when it is asked for, once. `waiting`: its requests as they wait for
 * answers, or for a place in flight.
 */
export function createRereadSource(
  context: GateContext,
  extreme: Extreme,
  { delays, waiting }: { readonly delays: LoopDelays; readonly waiting: WaitingLoad },
): () => GateSource {
  let source: GateSource | null = null;
  return () => {
    if (source !== null) return source;
    const { profile } = context;
    const read = context.measured.map((record) => rereadRecord(record, extreme, delays, profile.slo));
    const isFaster = extreme === "shortest" && (!isScheduled(profile.arrivals) || read.some(isDropped));
    const speed = isFaster ? speedWithoutDelays(waiting, delays) : 1;
    const sent = read.reduce((count, { outcome }) => count + (outcome === "not-sent" ? 0 : 1), 0);
    const measured = isFaster ? fillSparePlaces(read, (speed - 1) * sent) : read;
    const overflow = context.overflow === null ? null : rereadOverflow(context.overflow, extreme, delays, profile.slo);
    const totals = countWhole(measured, overflow);
    const observations = context.observations.map((seen) =>
      seen.id === "timed-out" ? { ...seen, count: totals.outcomes["timed-out"] ?? 0 } : seen,
    );
    const figures = { measured, overflow, observations, table: tabulate(measured, overflow), totals };
    source = createGateSource({ ...context, ...figures, speed: isScheduled(profile.arrivals) ? 1 : speed });
    return source;
  };
}

function isDropped({ notSent }: LoadRecord): boolean {
  return notSent === "max-in-flight";
}
