import type { LimitFigures } from "../../core/limit-figures.ts";
import type { LoadProfileResult, LoadStep } from "../../core/result/load-result.ts";
import type { Random } from "../../core/random.ts";
import type { EarlyEnd } from "../send/early-end.ts";
import { summarizeStep, findKnee } from "./summarize-step.ts";
import { concurrencyOf, describeArrivals, shapeOf } from "../arrivals/arrival-kinds.ts";
import { addTotals, countTotals } from "./count-totals.ts";
import { createGateSources } from "../gates/gate-sources.ts";
import { judgeGate, type JudgedGate } from "../gates/judge-gate.ts";
import { type InvalidReason, validityOf, writeReason } from "../generator/invalid-reason.ts";
import { judgeHealth } from "../generator/judge-health.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadRecord } from "./load-record.ts";
import { cutBlocks, describeDistributions, drawHeatmap, sampleStreams } from "./load-views.ts";
import type { MergedShares } from "../workers/merge-shares.ts";
import type { Overflow } from "./overflow.ts";
import { addShapes, noShapes, type ShapeCounts } from "./stream-shapes.ts";
import { tabulate } from "./record-store.ts";
import { selectRecords } from "./select-records.ts";
import { reconcileServerTimings } from "./server-truth.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { driftOf, mser5 } from "../statistics/steady-state.ts";
import { observeStreams, type StreamObservation } from "./stream-honesty.ts";
import { withholdGates, type Shortfall } from "../gates/withhold-gates.ts";
import type { OutcomeClass } from "../../core/result/load-outcome.ts";

export interface SummaryInput extends MergedShares {
  readonly profile: LoadProfile;
  readonly workload: string;
  readonly random: Random;
  /** Null: no judge of limits watched. */
  readonly limits: LimitFigures | null;
  /** Silences passed on the clock of the target: each jump of it takes its time, which is no lateness of the generator. */
  readonly virtualTime?: boolean;
}

/** Turns the records of a profile into its result. Pure. */
export function summarizeLoad(input: SummaryInput): LoadProfileResult {
  const { profile, fromMs, toMs, overflow } = input;
  const measured = selectRecords(input.records, (record) => record.phase === "measure" && record.intendedMs < toMs);
  const windowMs = Math.max(0, toMs - fromMs);
  const table = tabulate(measured, overflow);
  const { seconds } = input;
  const tainted = new Set(seconds.filter((second) => second.tainted).map(({ second }) => second));
  const untainted = selectRecords(measured, (record) => !tainted.has(Math.floor((record.endMs - input.startMs) / 1000)));
  const shapes = overflow === null ? null : sumShapes(overflow, tainted);
  const observations = [...observeStreams(untainted, input.records, shapes), ...observeRaces(input.races)];
  // What needs every record, one after the other, is left out where not all were kept.
  const steady = overflow === null ? findSteadyState(measured, fromMs, toMs) : null;
  const steadyRecords = steady === null ? [] : selectRecords(measured, (record) => record.intendedMs >= steady.fromMs);
  const judgedHealth = judgeHealth({
    seconds,
    samples: input.health,
    records: measured,
    openLoop: concurrencyOf(profile.arrivals) === null && input.virtualTime !== true,
    areaMs: input.areaMs,
    overflow,
    allRecords: input.records,
  });
  const totals = countTotals(measured);
  for (const counted of overflow?.totals.values() ?? []) addTotals(totals, counted);
  const steps = summarizeSteps(profile, input);
  const perSecond = (count: number): number => (windowMs > 0 ? (1000 * count) / windowMs : 0);
  const reasons = [...judgedHealth.reasons];
  const sources = createGateSources({
    profile,
    measured,
    overflow,
    shapes,
    table,
    totals,
    perSecond,
    observations,
    limits: input.limits,
  });
  const judged = profile.gates.map((gate) => ({ gate, result: judgeGate(gate, sources.all) }));
  const isFailed = judged.some(({ result }) => result.verdict === "fail");
  const early = input.stopReason;
  // A target that failed so plainly that the rest was spared was measured; without a failed gate nobody would see it.
  const decided = isFailed && (early?.kind === "hopeless" || early?.kind === "error-storm");
  if (early !== null && !decided) reasons.push({ code: "ended early", text: early.words });
  // What we cut off ourselves has shown something when a part of it came.
  const partly = measured.some((record) => record.outcome === "interrupted" && record.firstByteMs !== null);
  const silence = partly ? null : unmeasured(totals.outcomes, judged);
  // A gate that failed for it says so itself.
  if (silence !== null && !isFailed) reasons.push(silence);
  const shortfall = findShortfall({ early, decided, reasons, silence, sound: judgedHealth.reasons.length === 0 });
  const gates = shortfall === null ? judged.map(({ result }) => result) : withholdGates(judged, shortfall, sources.certain);
  return {
    id: profile.id,
    title: profile.title,
    arrivals: describeArrivals(profile),
    workload: input.workload,
    engine: profile.engine,
    startedMs: input.startMs,
    durationMs: input.endMs - input.startMs,
    warmUpMs: fromMs - input.startMs,
    counts: {
      planned: input.planned,
      sent: countOf(input.records, (record) => record.outcome !== "not-sent") + (overflow?.sent ?? 0),
      completed: countOf(input.records, (record) => record.outcome === "ok") + (overflow?.completed ?? 0),
      retried: input.retried,
    },
    outcomes: totals.outcomes,
    notSent: totals.notSent,
    rates: {
      offered: perSecond(totals.attempted),
      achieved: perSecond(totals.attempted - (totals.outcomes["not-sent"] ?? 0)),
      ok: perSecond(totals.outcomes.ok ?? 0),
      outputTokens: totals.outputTokens === null ? null : perSecond(totals.outputTokens),
      goodput: perSecond(totals.good),
    },
    goodFraction: totals.attempted === 0 ? null : totals.good / totals.attempted,
    distributions: [
      ...describeDistributions(table, "whole"),
      // A steady state that is the whole window would only repeat it.
      ...(steady === null || steady.fromMs === fromMs ? [] : describeDistributions(tabulate(steadyRecords), "steady")),
    ],
    series: seconds,
    heatmap: overflow === null ? drawHeatmap(measured, fromMs, windowMs) : null,
    streams: sampleStreams(measured, input.startMs, input.random),
    observations,
    serverTruth: reconcileServerTimings(measured),
    steadyState:
      steady === null ? null : { fromMs: steady.fromMs - input.startMs, toMs: toMs - input.startMs, method: steady.method },
    crossCheck: null,
    steps,
    knee: findKnee(steps),
    gates,
    blocks: overflow === null ? cutBlocks(measured, fromMs, windowMs) : null,
    health: judgedHealth.health,
    endedEarly: early?.words ?? null,
    ...(overflow === null ? {} : { counted: { kept: input.records.length, counted: overflow.records } }),
    validity: validityOf(reasons),
  };
}

/** Of the seconds in which the generator kept up. */
function sumShapes({ seconds }: Overflow, tainted: ReadonlySet<number>): ShapeCounts {
  const all = noShapes();
  for (const [second, { shapes }] of seconds) if (!tainted.has(second)) addShapes(all, shapes);
  return all;
}

function countOf(records: readonly LoadRecord[], matches: (record: LoadRecord) => boolean): number {
  let count = 0;
  for (const record of records) if (matches(record)) count += 1;
  return count;
}

/** Rate by rate of a search, over all that was sent at it. */
function summarizeSteps({ arrivals }: LoadProfile, { records, rates }: SummaryInput): readonly LoadStep[] {
  const shape = shapeOf(arrivals);
  if (shape.name !== "search") return [];
  const lengthMs = 1000 * shape.secondsPerRate;
  return rates.map((ratePerSecond, step) =>
    summarizeStep({ ratePerSecond, lengthMs, records: records.filter((record) => record.step === step) }),
  );
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

/** Closing an idle connection is lawful (RFC 9112 section 9.3); doing it all the time costs every client a connection. */
function observeRaces({ count, outOf }: SummaryInput["races"]): readonly StreamObservation[] {
  if (count < 5 || count < 0.02 * outOf) return [];
  const message =
    "the target closed connections just as they were used again; those requests were sent once more and are not counted as errors";
  return [{ id: "closes-connections", message, count, outOf }];
}

/**
 * Start of the steady state: truncation by MSER-5 on latencies of successes in order of intent, accepted only when the rest
 * does not drift. Null when the profile is meant to change its rate or never becomes steady.
 */
function findSteadyState(
  records: readonly LoadRecord[],
  fromMs: number,
  toMs: number,
): { readonly fromMs: number; readonly toMs: number; readonly method: string } | null {
  const answers = selectRecords(records, (record) => record.outcome === "ok").toSorted((a, b) => a.intendedMs - b.intendedMs);
  const latencies = collectFigures(answers, (record) => (record.firstTokenMs ?? record.answeredMs) - record.intendedMs);
  const cut = mser5(latencies);
  if (cut === null || driftOf(latencies.subarray(cut)) !== 0) return null;
  const start = cut === 0 ? fromMs : (answers[cut]?.intendedMs ?? fromMs);
  return { fromMs: start, toMs, method: "MSER-5 truncation, then no trend by Mann-Kendall at 1 %" };
}

/**
 * Why a profile whose requests were sent measured nothing all the same; null when it measured. Rejects are what a gate on rejects
 * or limits is about, and nothing to anybody else.
 */
function unmeasured(
  outcomes: Readonly<Partial<Record<OutcomeClass, number>>>,
  gates: readonly JudgedGate[],
): InvalidReason | null {
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
