import { studentQuantile, tail } from "../statistics/binomial.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { dependenceOf, momentsOf } from "../statistics/dependence.ts";
import type { LoadRecord } from "./load-record.ts";

/** How the rates of a loop follow from its requests. */
export interface LoopMeasure {
  /** Requests that the window contains for each that began in it: they are counted by the share of their time that lies in it. */
  readonly inWindow: number;
  /** The rate is known up to this fraction (95 %): it is that of the mean time of a request. */
  readonly rateError: number;
}

/** A schedule asks for its rate, whatever the answers take. */
export const openLoop: LoopMeasure = { inWindow: 1, rateError: 0 };

/**
 * A closed loop asks for as much as it gets: its rate is the requests in flight over the time of one. Answers that end after the window
 * would make it too high, and those that began before it are a part of it.
 */
export function measureLoop(
  records: readonly LoadRecord[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): LoopMeasure {
  let [begun, contained] = [0, 0];
  const times = collectFigures(records, ({ outcome, attempt, issuedMs, endMs, phase, intendedMs }) => {
    if (outcome === "not-sent" || attempt !== 1) return null;
    const lengthMs = endMs - issuedMs;
    const isBegun = phase === "measure" && intendedMs < toMs;
    const insideMs = Math.min(endMs, toMs) - Math.max(issuedMs, fromMs);
    if (isBegun) begun += 1;
    if (insideMs > 0 && lengthMs > 0) contained += insideMs / lengthMs;
    return isBegun ? lengthMs : null;
  });
  if (begun === 0 || contained === 0) return openLoop;
  return { inWindow: contained / begun, rateError: errorOfMean(times) };
}

function errorOfMean(values: Float64Array): number {
  const { mean, variance } = momentsOf(values);
  const count = values.length / dependenceOf(values).time;
  if (variance === 0 || mean <= 0) return 0;
  if (count < 2) return Infinity;
  return (studentQuantile(1 - tail, Math.floor(count - 1)) * Math.sqrt(variance / count)) / mean;
}
