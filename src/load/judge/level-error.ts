import type { InstrumentAccuracy, ErrorSpread } from "../../core/result/generator-health.ts";
import { allowedMisses } from "../gates/allowed-misses.ts";
import { errorAt, formatMs } from "../gates/doubt-instrument.ts";
import type { Gate } from "../profile/gate.ts";
import type { InstrumentError } from "../samples/shift-record.ts";

/** The error that the times of a level may have. */
export interface LevelError {
  readonly error: InstrumentError;
  /** Why it leaves a verdict open. */
  because(verdictOn: "this level" | "this gate"): string;
}

/** Longer than any load: an error that nobody knows may be of any size. */
const unknownMs = 1e12;
/** The service level is of 95 % of the requests. */
const usualPercentile = 95;

/**
 * The error by the calibration at the percentile that the level is judged by: of several gates at the highest. Null where neither a calibration
 * nor the lack of one is known.
 */
export function levelError({ calibration, uncalibrated }: InstrumentAccuracy, gates: readonly Gate[] | null): LevelError | null {
  if (calibration === null) {
    if (uncalibrated === undefined) return null;
    const error = { firstMs: unknownMs, eventMs: unknownMs, gapMs: unknownMs, meanMs: unknownMs };
    return {
      error,
      because: (verdict) => `${uncalibrated}, so that nobody knows whether its error could have turned ${verdict}`,
    };
  }
  const percentile = Math.max(usualPercentile, ...(gates ?? []).map(percentileOf));
  const of = (spread: ErrorSpread): number => errorAt(percentile, spread, calibration) ?? unknownMs;
  const { ttftErrorMs, eventErrorMs, interTokenErrorMs, tpotErrorMs = interTokenErrorMs } = calibration;
  const error = { firstMs: of(ttftErrorMs), eventMs: of(eventErrorMs), gapMs: of(interTokenErrorMs), meanMs: of(tpotErrorMs) };
  const mostMs = Math.max(...Object.values(error));
  const size = mostMs === unknownMs ? "by an unknown time" : `up to ${formatMs(mostMs)}`;
  return {
    error,
    because: (verdict) =>
      `this machine was ${size} off in the calibration, which could have turned ${verdict}; a calmer machine would decide it`,
  };
}

function percentileOf(gate: Gate): number {
  const { figure } = gate;
  const isOfTimes = figure.kind === "percentile" || (figure.kind === "fraction" && figure.name === "goodput");
  return isOfTimes ? Number((100 * (1 - (allowedMisses(gate) ?? 1))).toFixed(6)) : 0;
}
