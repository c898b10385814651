import type { InstrumentAccuracy } from "../../core/result/generator-health.ts";
import type { GateResult } from "../../core/result/gate-result.ts";
import type { LoadValidity } from "../../core/result/load-result.ts";
import { doubtGates, instrumentFaults } from "./doubt-instrument.ts";
import { doubtLateness, type LoadLateness } from "./doubt-lateness.ts";
import { doubtShift, type ShiftedFigures } from "./doubt-shift.ts";
import { type InvalidReason, validityOf, writeReason } from "../generator/invalid-reason.ts";
import type { Totals } from "../samples/count-totals.ts";
import type { EarlyEnd } from "../samples/early-end.ts";
import type { Gate } from "../profile/gate.ts";
import { isCeiling } from "./compare-with-bound.ts";
import { judgeGate, type JudgedGate, withdraw } from "./judge-gate.ts";
import type { GateSource } from "./read-figure.ts";
import type { SentLoad } from "../generator/judge-health.ts";
import { type Shortfall, withholdGates, withholdLate } from "./withhold-gates.ts";

/** Of an accuracy of which neither a calibration nor the lack of one is known, nothing is doubted. */
export interface GateInput extends InstrumentAccuracy {
  readonly gates: readonly Gate[];
  readonly source: GateSource;
  readonly outcomes: Totals["outcomes"];
  /** A part came of an answer that we cut off ourselves. */
  readonly partly: boolean;
  /** Why the profile did not run to its end. */
  readonly early: EarlyEnd | null;
  /** Of the generator. */
  readonly faults: readonly InvalidReason[];
  readonly sent: SentLoad;
  /** The lateness of this machine during the load; null where nobody knows. */
  readonly lateness: LoadLateness | null;
  /** By how much answers took longer at the end of a load that stayed the same; 0 where the target settled. */
  readonly growthMs: number;
  /** The figures at the ends of the error of the calibration; null: nothing is known of that error, nor that it is not known. */
  readonly shift: ShiftedFigures | null;
}

export interface SettledGates {
  readonly gates: readonly GateResult[];
  readonly validity: LoadValidity;
}

/**
 * Judges the gates of a profile, each once, and takes back what may not be said: of a profile that is not valid, and below what
 * the instrument can measure.
 */
export function settleGates(input: GateInput): SettledGates {
  const { gates, source, outcomes, partly, early, faults, calibration, lateness } = input;
  const judged = gates.map((gate) => unlessGrowing(judgeGate(gate, source), input.growthMs));
  const isFailed = judged.some(({ result }) => result.verdict === "fail");
  // A target that failed so plainly that the rest was spared was measured; without a failed gate nobody would see it.
  const decided = isFailed && (early?.kind === "hopeless" || early?.kind === "error-storm");
  const silence = partly ? null : unmeasured(outcomes, judged);
  const reasons = [...faults];
  if (early !== null && !decided) reasons.push({ code: "ended early", text: early.words });
  // A gate that failed for it says so itself.
  if (silence !== null && !isFailed) reasons.push(silence);
  const isLateAlone =
    reasons.length > 0 && early === null && silence === null && reasons.every(({ code }) => code === "generator-limited");
  const shortfall = isLateAlone ? null : findShortfall({ early, decided, reasons, silence, sound: faults.length === 0 });
  const standing = isLateAlone
    ? withholdLate(judged, { sent: input.sent, shortest: lateness?.reread.shortest ?? null, because: describeLate(reasons) })
    : shortfall === null
      ? judged
      : withholdGates(judged, shortfall);
  const punctual = lateness === null ? standing : doubtLateness(standing, lateness);
  const sharp = doubtGates(punctual, input);
  const settled = input.shift === null ? sharp : doubtShift(sharp, input.shift);
  // Lateness that turned no gate is a remark on a profile which answered all that it was asked.
  const isAnswered = isLateAlone && settled.length > 0 && settled.every(({ result }) => result.doubt !== "run-invalid");
  const faulty = [...(isAnswered ? [] : reasons), ...(calibration === null ? [] : instrumentFaults(calibration))];
  return {
    gates: settled.map(({ result }) => result),
    validity: { ...validityOf(faulty), ...(isAnswered && { remarks: reasons.map(writeReason) }) },
  };
}

/** A target that never settled passes no bound that it would miss in a profile of twice the length. */
function unlessGrowing(judged: JudgedGate, growthMs: number): JudgedGate {
  const { gate, result, distance } = judged;
  const isTime = (gate.figure.kind === "percentile" || gate.figure.kind === "moment") && gate.unit === "ms";
  if (result.verdict !== "pass" || !isTime || !isCeiling(gate) || growthMs === 0 || distance > growthMs) return judged;
  const words = `the target never settled: at the end answers took ${growthMs.toFixed(0)} ms longer than at the beginning`;
  return withdraw(judged, `${words}; a longer profile, or a longer warm-up, would decide it`, "unsettled");
}

/** The evidence that would decide a gate that lateness could have turned. */
function describeLate(reasons: readonly InvalidReason[]): string {
  const what = reasons.map(({ text }) => text).filter((text) => text !== null);
  return `run invalid (generator-limited): ${what.join("; ")}, which could turn this gate; a calmer machine or a lower rate would decide it`;
}

interface Doubts {
  readonly early: EarlyEnd | null;
  readonly decided: boolean;
  readonly reasons: readonly InvalidReason[];
  /** Why nothing was measured although requests were sent. */
  readonly silence: InvalidReason | null;
  /** The generator was not at fault. */
  readonly sound: boolean;
}

/** Why not every verdict on a gate may stand; null when all may. */
function findShortfall({ early, decided, reasons, silence, sound }: Doubts): Shortfall | null {
  // The whole reasons stand in `validity`.
  const because = `run invalid (${[...new Set(reasons.map(({ code }) => code))].join(", ")})`;
  if (!sound) return { kind: "measurement", because };
  if (decided) return { kind: "decided", because: `the profile was not run to its end: ${early?.words}` };
  if (early !== null) return { kind: early.kind === "interrupted" ? "interrupted" : "cut", because };
  return silence === null ? null : { kind: "decided", because: writeReason(silence) };
}

/**
 * Why a profile whose requests were sent measured nothing all the same; null when it measured. Rejects are what a gate on rejects
 * or limits is about, and nothing to anybody else.
 */
function unmeasured(outcomes: Totals["outcomes"], gates: readonly JudgedGate[]): InvalidReason | null {
  const rejects = (outcomes["rate-limited"] ?? 0) + (outcomes["burst-limited"] ?? 0) + (outcomes["spend-capped"] ?? 0);
  if ((outcomes.ok ?? 0) > 0 || (rejects > 0 && gates.some(isAboutRejects))) return null;
  const counted = Object.entries(outcomes).filter(([, count]) => count > 0);
  const total = counted.reduce((sum, [, count]) => sum + count, 0);
  const code = "nothing was measured";
  if (total === 0) return { code, text: null };
  const each = counted.map(([name, count]) => `${count} ${name}`).join(", ");
  return { code, text: `none of ${total} requests succeeded (${each})` };
}

function isAboutRejects({ gate: { figure }, result: { verdict } }: JudgedGate): boolean {
  const named = figure.kind === "limits" || ("name" in figure && (figure.name === "reject_rate" || figure.name === "rejects"));
  return named && (verdict === "pass" || verdict === "fail");
}
