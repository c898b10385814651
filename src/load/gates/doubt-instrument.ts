import { percentRoundedDown } from "../../core/percent-rounded-down.ts";
import type { CalibrationResult, ErrorSpread, InstrumentAccuracy } from "../../core/result/generator-health.ts";
import type { LoadMetric } from "../../core/result/load-figures.ts";
import { proportionInterval } from "../statistics/binomial.ts";
import type { Gate } from "../profile/gate.ts";
import { type JudgedGate, withdraw } from "../gates/judge-gate.ts";
import { type InvalidReason, writeReason } from "../generator/invalid-reason.ts";

/** Share of events whose interval must hold the true instant, and the one below which only the tail of the error is believed. */
const wantedCoverage = 0.995;
const leastCoverage = 0.95;
/** Share of events that may be stamped before they were sent: the clocks of two processes differ by rounding alone. */
const mostTooEarly = 0.001;

/** The doubts of the calibration that concern every figure; empty if the instrument was good. */
export function instrumentDoubts(calibration: CalibrationResult): readonly string[] {
  const { intervalCoverage, ttftErrorMs } = calibration;
  const doubts: string[] = [];
  if (intervalCoverage < wantedCoverage) {
    const error = ttftErrorMs.max ?? ttftErrorMs.p99;
    doubts.push(
      `instrument: its own error bounds hold for ${percentRoundedDown(intervalCoverage)} of the events of calibration (${percentRoundedDown(wantedCoverage)} needed); first tokens were recorded up to ${formatMs(error)} late`,
    );
  }
  return [...doubts, ...instrumentFaults(calibration).map(writeReason)];
}

/** The reasons that make every figure of a profile doubtful: stamps that came before their events. */
export function instrumentFaults({ upperBoundHeld }: CalibrationResult): readonly InvalidReason[] {
  const early = 1 - upperBoundHeld;
  const text = `${(100 * early).toFixed(1)} % of the events were stamped before they were sent`;
  return early > mostTooEarly ? [{ code: "instrument", text }] : [];
}

/**
 * Takes back verdicts on latencies that this machine cannot measure: those that the error of the calibration, added or taken
 * away, would turn. The error is that of the gated percentile; where surely less than 95 % of the intervals held, its tail. An error
 * that is not known may be of any size.
 */
export function doubtGates(judged: readonly JudgedGate[], accuracy: InstrumentAccuracy): readonly JudgedGate[] {
  return judged.map((one) => doubtGate(one, accuracy));
}

function doubtGate(judged: JudgedGate, { calibration, uncalibrated }: InstrumentAccuracy): JudgedGate {
  const { gate, result, distance } = judged;
  const name = errorNameOf(gate);
  if ((result.verdict !== "pass" && result.verdict !== "fail") || name === null) return judged;
  if (calibration === null) return uncalibrated === undefined ? judged : withdrawUnknown(judged, uncalibrated);
  // Older calibrations have no error of means; that of single gaps is no smaller.
  const error = errorAt(percentileOf(gate), calibration[name] ?? calibration.interTokenErrorMs, calibration);
  if (error === null) return withdrawUnknown(judged, "the calibration of this machine holds no time of this kind");
  if (error <= distance) return judged;
  const reason = `instrument: this machine was up to ${formatMs(error)} off in the calibration${isBlurred(calibration) ? ` (${percentRoundedDown(calibration.intervalCoverage)} of its intervals held)` : ""}, too much to distinguish this from ${formatMs(gate.bound)}`;
  return withdraw(judged, reason, "instrument");
}

function withdrawUnknown(judged: JudgedGate, why: string): JudgedGate {
  return withdraw(judged, `instrument: ${why}, so that nobody knows whether its error could have turned this gate`, "instrument");
}

type ErrorName = "ttftErrorMs" | "eventErrorMs" | "interTokenErrorMs" | "tpotErrorMs";

const errorNames: Readonly<Partial<Record<LoadMetric, ErrorName>>> = {
  ttfb: "ttftErrorMs",
  ttfe: "ttftErrorMs",
  ttft: "ttftErrorMs",
  ttfo: "ttftErrorMs",
  "inter-chunk": "interTokenErrorMs",
  "inter-token": "interTokenErrorMs",
  "longest-stall": "interTokenErrorMs",
  tpot: "tpotErrorMs",
  "service-latency": "eventErrorMs",
  "user-latency": "eventErrorMs",
};

/** Null where the figure is no time that arrives from the target. */
function errorNameOf({ figure }: Gate): ErrorName | null {
  return figure.kind === "percentile" || figure.kind === "moment" ? (errorNames[figure.metric] ?? null) : null;
}

function percentileOf({ figure }: Gate): number {
  if (figure.kind === "percentile") return figure.percentile;
  return figure.kind === "moment" && figure.which === "max" ? 100 : 50;
}

/** The error of figures of this percentile; null: not known. */
export function errorAt(percentile: number, spread: ErrorSpread, calibration: CalibrationResult): number | null {
  if (spread.samples === 0) return null;
  if (isBlurred(calibration)) return tailOf(spread);
  if (percentile <= 50) return spread.p50 ?? tailOf(spread);
  return percentile <= 95 ? (spread.p95 ?? tailOf(spread)) : tailOf(spread);
}

/** The largest where there are too few for a p99; null: not known. */
export function tailOf({ p99, max, samples }: ErrorSpread): number | null {
  return samples === 0 ? null : (p99 ?? max ?? null);
}

/** Surely too few of its intervals held: only the tail of the error is believed. */
export function isBlurred({ intervalCoverage, eventErrorMs: { samples } }: CalibrationResult): boolean {
  return proportionInterval(Math.round(intervalCoverage * samples), samples)[1] < leastCoverage;
}

/** `12 ms`, `0.4 ms` */
export function formatMs(ms: number | null): string {
  return ms === null ? "an unknown time" : `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
}
