import type { EarlyEnd } from "../samples/early-end.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import { isError } from "../samples/count-totals.ts";
import { isProvoked, type Stalls } from "../samples/is-provoked.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { compareWithBound } from "../gates/compare-with-bound.ts";
import type { Gate } from "../profile/gate.ts";
import { matchWhere } from "../gates/match-where.ts";
import { mostBeyond } from "../statistics/beyond-repair.ts";
import { visitFigures } from "../samples/visit-figures.ts";

export interface HopelessWatch {
  /** Reason to stop, or null to go on; `stalls` of the machine that sent the record. */
  observe(record: LoadRecord, stalls: Stalls): EarlyEnd | null;
}

/**
 * Reports as soon as a gate cannot be met any more, whatever the rest of the profile brings. `planned` is the most requests that the measured window can hold. Judged are upper bounds on percentiles and on the rates of
 * errors and rejects: once so many requests miss the bound that even a plan without a further miss would fail the gate, nothing can mend it.
 * A time that would not miss it without the lateness of the machine that sent it is no miss, nor is an error that this may have provoked.
 */
export function createHopelessWatch(gates: readonly Gate[], planned: number): HopelessWatch {
  const counters = gates.flatMap((gate) => counterFor(gate, planned) ?? []);
  return {
    observe(record, stalls) {
      if (record.phase !== "measure") return null;
      for (const { gate, misses, allowed, state } of counters) {
        const isAbout = (gate.endpoint === null || gate.endpoint === record.endpoint) && matchWhere(gate, record) === true;
        if (isAbout && misses(record, stalls)) state.missed += 1;
        if (state.missed <= allowed) continue;
        return {
          kind: "hopeless",
          words: `hopeless: ${gate.expression} cannot be met any more, ${state.missed} requests missed it`,
        };
      }
      return null;
    },
  };
}

interface Counter {
  readonly gate: Gate;
  readonly misses: (record: LoadRecord, stalls: Stalls) => boolean;
  /** Misses that the whole plan leaves room for. */
  readonly allowed: number;
  readonly state: { missed: number };
}

function counterFor(gate: Gate, planned: number): Counter | null {
  if (gate.operator !== "<" && gate.operator !== "<=") return null;
  const { figure, bound } = gate;
  const state = { missed: 0 };
  if (figure.kind === "fraction") {
    const counts =
      figure.name === "error_rate" ? isError : figure.name === "reject_rate" ? ({ status }: LoadRecord) => status === 429 : null;
    if (counts === null) return null;
    const misses = (record: LoadRecord, stalls: Stalls): boolean => counts(record) && !isProvoked(record, stalls);
    return { gate, misses, allowed: mostBeyond(bound, planned), state };
  }
  // One request gives many gaps: their number is not known beforehand.
  if (figure.kind !== "percentile" || perGap.has(figure.metric)) return null;
  const misses = (record: LoadRecord, stalls: Stalls): boolean => {
    let range = { least: -Infinity, most: -Infinity };
    if (record.outcome === "ok" || record.outcome === "timed-out")
      visitFigures(record, (metric, value, certainty) => {
        if (metric === figure.metric) range = { least: value, most: certainty === "at-least" ? Infinity : value };
      });
    if (compareWithBound(gate, range).met !== false) return false;
    return compareWithBound(gate, { ...range, least: range.least - stalls.within(record.sentMs, record.endMs) }).met === false;
  };
  return { gate, misses, allowed: mostBeyond(1 - figure.percentile / 100, planned), state };
}

const perGap: ReadonlySet<LoadMetric> = new Set<LoadMetric>(["inter-chunk", "inter-token", "tokens-per-second"]);
