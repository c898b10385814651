import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadProfileResult, RepeatEnd } from "../../core/result/load-result.ts";
import { figuresOfRuns } from "./figures-of-runs.ts";
import { gateOfRuns, hasMean } from "./gate-of-runs.ts";
import { joinGate } from "./join-gate.ts";
import { joinValues, type RunValue } from "./join-values.ts";
import { leastRepeats } from "./least-repeats.ts";

type Width = RepeatEnd["widest"];

/**
 * Whether the runs of a profile so far are narrow enough to be the last ones: by the figures of its gates, else by those that every
 * repeated profile shows. A figure without an interval is never narrow, nor is one that leaves its gate open while runs are left. null: these
 * runs do not end by themselves. Pure.
 */
export function describeRepeatEnd(runs: readonly LoadProfileResult[]): RepeatEnd | null {
  const { until, runs: most } = runs.at(-1)?.repeat ?? {};
  if (until === undefined || most === undefined) return null;
  const basis = gatesOf(runs).length > 0 ? "gates" : "report";
  const widths = widthsOf(runs);
  const figures = widths.map(({ figure }) => figure);
  const widest = widths.reduce((worst, each) => (rankOf(each) > rankOf(worst) ? each : worst));
  const isWithin = rankOf(widest) <= until;
  const open = runs.length < most ? widths.find(({ why }) => why !== null) : undefined;
  if (isWithin && open === undefined && runs.length >= leastRepeats) return { until, reason: "narrow", widest, figures, basis };
  return {
    until,
    reason: runs.length < most ? "broken-off" : "most-runs",
    widest: isWithin ? (open ?? widest) : widest,
    figures,
    basis,
  };
}

/** Those that bound a figure with an interval. */
function gatesOf(runs: readonly LoadProfileResult[]): readonly GateResult[] {
  return (runs.at(-1)?.gates ?? []).filter(hasMean);
}

const rankOf = ({ halfWidth }: Width): number => halfWidth ?? Infinity;

/** At least one: rates of successful answers are known of every run. */
function widthsOf(runs: readonly LoadProfileResult[]): readonly Width[] {
  const gates = gatesOf(runs);
  if (gates.length > 0) return gates.map((gate) => widthOfGate(gate, runs));
  const invalid = runs.findIndex(({ validity }) => !validity.valid);
  return figuresOfRuns(runs).map(({ name, values }) => {
    if (invalid >= 0) return unknown(name, `run ${invalid + 1} is not valid: ${runs[invalid]?.validity.reasons.join("; ")}`);
    const missing = values.indexOf(null);
    if (missing >= 0) return unknown(name, `it has no value in run ${missing + 1}`);
    return widthOf(
      name,
      values.filter((value) => value !== null),
      relative,
    );
  });
}

function widthOfGate(gate: GateResult, runs: readonly LoadProfileResult[]): Width {
  const found = gateOfRuns(gate, runs);
  switch (found.kind) {
    case "open":
      return unknown(gate.id, `run ${found.run}: ${found.gate.reason ?? found.gate.verdict}`);
    case "mean":
      return whileOpen(
        gate.kind === "fraction"
          ? { ...widthOf(gate.id, found.values, absolute), isShare: true }
          : widthOf(gate.id, found.values, relative),
        joinGate(gate, runs),
      );
    case "count":
    case "one-sided":
      return unknown(gate.id, "a run knows it from one side only, or has too few samples for it");
    default:
      return found satisfies never;
  }
}

/** A narrow interval that holds the bound decides nothing. */
function whileOpen(width: Width, { verdict, doubt }: GateResult): Width {
  const isOpen = width.halfWidth !== null && verdict === "inconclusive" && doubt === "too-few";
  return isOpen ? { ...width, why: "it holds the bound of its gate" } : width;
}

const relative = (half: number, mean: number): number => (mean > 0 ? half / mean : Infinity);
/** A part of a fraction near 0 would ask for any number of runs. */
const absolute = (half: number): number => half;

function widthOf(figure: string, values: readonly RunValue[], measure: (half: number, mean: number) => number): Width {
  if (values.length < 2) return unknown(figure, "one run has no spread");
  const { mean, high } = joinValues(values);
  const halfWidth = measure(high - mean, mean);
  return Number.isFinite(halfWidth) ? { figure, halfWidth, why: null } : unknown(figure, "its mean is 0");
}

function unknown(figure: string, why: string): Width {
  return { figure, halfWidth: null, why };
}
