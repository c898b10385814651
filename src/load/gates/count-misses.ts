import type { StepMisses } from "../../core/result/load-result.ts";
import { compareWithBound } from "../gates/compare-with-bound.ts";
import type { Gate } from "../profile/gate.ts";
import { isError } from "../samples/count-totals.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { hasStayed } from "../samples/has-stayed.ts";
import { visitFigures } from "../samples/visit-figures.ts";
import { allowedMisses } from "./allowed-misses.ts";
import { matchWhere } from "./match-where.ts";
import { missesOf } from "../capacity/misses-of.ts";

/** How many requests miss a gate that leads a search; in order of their intent. */
export function countMisses(gate: Gate, records: readonly LoadRecord[]): StepMisses {
  const { endpoint } = gate;
  const judged = records.flatMap((record) => {
    const isAbout =
      record.attempt === 1 &&
      hasStayed(record) &&
      (endpoint === null || record.endpoint === endpoint) &&
      matchWhere(gate, record) === true;
    return (isAbout ? missOf(gate, record) : null) ?? [];
  });
  const misses = Float64Array.from(judged, ({ missed }) => (missed ? 1 : 0));
  const values = Float64Array.from(judged, ({ value }) => value);
  return missesOf(gate.expression, allowedMisses(gate) ?? 0, { misses, values });
}

interface Miss {
  readonly missed: boolean;
  /** A time, a rate, or 1 for a miss: its order shows how requests depend on each other. */
  readonly value: number;
}

/**
 * Null: it gives no such figure. One that was never sent, refused or failed misses a bound on a time: nobody got the answer by then.
 */
function missOf({ figure, operator, bound }: Gate, record: LoadRecord): Miss | null {
  switch (figure.kind) {
    case "fraction": {
      const missed = missesFraction(figure.name, record);
      return missed === null ? null : { missed, value: missed ? 1 : 0 };
    }
    case "percentile": {
      if (record.outcome === "interrupted") return null;
      if (record.outcome !== "ok" && record.outcome !== "timed-out") return { missed: true, value: Infinity };
      let miss: Miss | null = null;
      visitFigures(record, (metric, value, certainty) => {
        if (metric !== figure.metric) return;
        const most = certainty === "at-least" ? Infinity : value;
        miss = { missed: compareWithBound({ operator, bound }, { least: value, most }).met !== true, value };
      });
      return miss;
    }
    case "moment":
    case "rate":
    case "count":
    case "capacity":
    case "observation":
    case "limits":
      return null;
    default:
      return figure satisfies never;
  }
}

function missesFraction(
  name: "error_rate" | "timeout_rate" | "reject_rate" | "goodput" | "dropped_rate",
  record: LoadRecord,
): boolean | null {
  switch (name) {
    case "goodput":
      // Nobody knows how it would have ended.
      return record.outcome === "interrupted" ? null : !record.good;
    case "dropped_rate":
      return record.outcome === "not-sent";
    case "error_rate":
      return isError(record);
    case "timeout_rate":
      return record.outcome === "timed-out";
    case "reject_rate":
      return record.status === 429;
    default:
      return name satisfies never;
  }
}
