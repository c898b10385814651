import type { LimitFigures } from "../../core/limit-figures.ts";
import type { CalibrationResult } from "../../core/result/generator-health.ts";
import type { LoadDistribution } from "../../core/result/load-figures.ts";
import type { CacheAudit, LeavingCount, LoadProfileResult, LoadStep, RequestCounts } from "../../core/result/load-result.ts";
import type { Random } from "../../core/random.ts";
import { summarizeStep } from "./summarize-step.ts";
import { findKnee } from "./find-knee.ts";
import { describeCapacity } from "./describe-capacity.ts";
import { kneeOfCapacity } from "./knee-of-capacity.ts";
import { judgedGates, leadingGates } from "../gates/leading-gates.ts";
import { concurrencyOf, describeArrivals, shapeOf } from "../arrivals/arrival-kinds.ts";
import { describeLeaving } from "../samples/describe-leaving.ts";
import { countCached } from "../samples/count-cached.ts";
import { countLengths } from "../samples/count-lengths.ts";
import { addTotals, countTotals, ratesOf, type Totals } from "../samples/count-totals.ts";
import { createPunctualSource } from "../gates/punctual-source.ts";
import { createGateSource } from "../gates/gate-source.ts";
import { judgeHealth } from "../generator/judge-health.ts";
import { placeIn, replacedSeconds } from "../generator/replaced-seconds.ts";
import type { LoadProfile } from "../profile/load-profile.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { cutBlocks, describeDistributions, drawHeatmap, sampleStreams } from "../samples/load-views.ts";
import type { MergedShares } from "../ledger/merge-shares.ts";
import type { Overflow } from "../samples/overflow.ts";
import { addShapes, noShapes, type ShapeCounts } from "../samples/stream-shapes.ts";
import { tabulate } from "../samples/record-store.ts";
import { joinedOutcome } from "../samples/joined-outcome.ts";
import { measureLoop, openLoop } from "../samples/measure-loop.ts";
import { orderByIntent } from "../samples/order-by-intent.ts";
import { selectRecords } from "../samples/select-records.ts";
import { reconcileServerTimings } from "../samples/server-truth.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { driftOf, mser5 } from "../statistics/steady-state.ts";
import { observeStreams, type StreamObservation } from "../samples/stream-honesty.ts";
import { settleGates } from "../gates/settle-gates.ts";

export interface SummaryInput extends MergedShares {
  readonly profile: LoadProfile;
  readonly workload: string;
  readonly random: Random;
  /** Absent: nobody asked the same prompts again. */
  readonly cacheAudit?: CacheAudit | null;
  /** Null: no judge of limits watched. */
  readonly limits: LimitFigures | null;
  /** Of the machines that sent; null: there was none, and nothing is doubted for it. */
  readonly calibration: CalibrationResult | null;
  /** Silences passed on the clock of the target: each jump of it takes its time, which is no lateness of the generator. */
  readonly virtualTime?: boolean;
}

/** Turns the records of a profile into its result. Pure. */
export function summarizeLoad(input: SummaryInput): LoadProfileResult {
  const { profile, records, overflow, seconds, startMs, fromMs, toMs } = input;
  const replaced = replacedSeconds(input);
  const placeOf = placeIn(replaced, input);
  const measured = orderByIntent(
    selectRecords(
      records,
      ({ phase, intendedMs }) =>
        phase === "measure" && intendedMs < toMs && !replaced.has(Math.floor((intendedMs - startMs) / 1000)),
    ),
  );
  const windowMs = Math.max(0, toMs - fromMs - 1000 * replaced.size);
  const loop = shapeOf(profile.arrivals).name === "loop" && overflow === null ? measureLoop(records, { fromMs, toMs }) : openLoop;
  const perSecond = (count: number): number => (windowMs > 0 ? (1000 * count * loop.inWindow) / windowMs : 0);
  const table = tabulate(measured, overflow);
  const totals = countTotals(measured);
  for (const counted of overflow?.totals.values() ?? []) addTotals(totals, counted);
  const leaving = describeLeaving(measured, records);
  const { cacheAudit = null } = input;
  const seen = observe(input, measured, totals, leaving);
  const { shapes } = seen;
  const observations = [...seen.observations, ...observeCache(cacheAudit)];
  const {
    health,
    reasons: faults,
    sent,
  } = judgeHealth({
    // Nothing is said of the warm-up; its first second stays as the one that starts threads and connections.
    seconds: seconds.filter(({ second }) => !replaced.has(second) && (second === 0 || startMs + 1000 * (second + 1) > fromMs)),
    samples: input.health,
    records: measured,
    openLoop: concurrencyOf(profile.arrivals) === null && input.virtualTime !== true,
    areaMs: input.areaMs,
    overflow,
    allRecords: records,
  });
  const steps = summarizeSteps(profile, input);
  const capacity = describeCapacity(profile, steps);
  const { limits, calibration, stopReason: early } = input;
  const source = createGateSource({
    profile,
    measured,
    overflow,
    shapes,
    table,
    totals,
    perSecond,
    rateError: loop.rateError,
    observations,
    keepsSlots: leaving?.keepsSlots ?? null,
    cacheAudit,
    limits,
    capacity,
    plannedOfHopeless: early?.kind === "hopeless" ? input.planned : null,
  });
  const { gates, validity } = settleGates({
    gates: judgedGates(profile),
    source,
    sent,
    punctual: () => (overflow === null ? createPunctualSource(source, { records: measured, seconds, startMs }) : null),
    outcomes: totals.outcomes,
    partly: measured.some(
      (record) => record.outcome !== "ok" && joinedOutcome(record.outcome) === "ok" && record.firstByteMs !== null,
    ),
    early,
    faults,
    calibration,
    growthMs: isSteady(profile) && overflow === null ? growthOf(measured) : 0,
  });
  // Figures that need every record, one after the other, are left out if not all were kept.
  const isWhole = overflow === null;
  const steady = isWhole ? describeSteadyState(measured, input) : unsteady;
  const lengths = countLengths(measured);
  const cache = countCached(measured);
  const stayed = totals.attempted - (totals.outcomes.left ?? 0);
  return {
    id: profile.id,
    title: profile.title,
    ...(profile.repeat === undefined ? {} : { repeat: profile.repeat }),
    ...(profile.content === undefined ? {} : { content: profile.content }),
    arrivals: describeArrivals(profile),
    workload: input.workload,
    engine: profile.engine,
    startedMs: startMs,
    durationMs: input.endMs - startMs,
    warmUpMs: fromMs - startMs,
    counts: countRequests(input),
    ...(input.conversations === undefined ? {} : { conversations: input.conversations }),
    outcomes: totals.outcomes,
    notSent: totals.notSent,
    rates: ratesOf(totals, perSecond),
    goodFraction: stayed === 0 ? null : totals.good / stayed,
    ...(totals.maybeGood > 0 && { goodFractionMost: (totals.good + totals.maybeGood) / stayed }),
    ...(cache === null ? {} : { cache }),
    ...(cacheAudit === null ? {} : { cacheAudit }),
    ...(leaving === null ? {} : { leaving }),
    ...(lengths === null ? {} : { lengths }),
    distributions: [...describeDistributions(table, "whole"), ...steady.distributions],
    series: seconds,
    heatmap: isWhole ? drawHeatmap(measured, windowMs, placeOf) : null,
    streams: sampleStreams(measured, startMs, input.random),
    observations,
    serverTruth: reconcileServerTimings(measured),
    steadyState: steady.state,
    crossCheck: null,
    steps,
    knee: capacity === null ? findKnee(steps) : kneeOfCapacity(capacity, steps),
    ...(capacity === null ? {} : { capacity }),
    gates,
    blocks: isWhole ? cutBlocks(measured, windowMs, placeOf) : null,
    health: replaced.size === 0 ? health : { ...health, replacedSeconds: replaced.size },
    endedEarly: early?.words ?? null,
    ...(isWhole ? {} : { counted: { kept: records.length, counted: overflow.records } }),
    validity:
      replaced.size === 0 ? validity : { ...validity, remarks: [...(validity.remarks ?? []), describeReplaced(replaced.size)] },
  };
}

function describeReplaced(seconds: number): string {
  const [these, others] = seconds === 1 ? ["1 second", "another second"] : [`${seconds} seconds`, `${seconds} others`];
  return `the generator was late in ${these}: ${others} at the end took the place of ${seconds === 1 ? "it" : "them"}`;
}

/** A closed loop plans what it comes to; of any other plan and of the repetitions, each left or did not. */
function countRequests({ profile, records, overflow, planned, races }: SummaryInput): RequestCounts {
  const count = (where: (record: LoadRecord) => boolean): number => selectRecords(records, where).length;
  const firsts = count((record) => record.attempt === 1) + (overflow?.planned ?? 0);
  const retried = records.length + (overflow?.records ?? 0) - firsts;
  const sent = count((record) => record.outcome !== "not-sent") + (overflow?.sent ?? 0);
  const due = shapeOf(profile.arrivals).name === "loop" ? firsts : planned;
  return {
    planned: due,
    sent,
    completed: count((record) => record.outcome === "ok") + (overflow?.completed ?? 0),
    retried,
    resent: races.count,
    unsent: due + retried - sent,
  };
}

interface Observed {
  /** The counts beside the records, of the seconds in which the generator kept up; null if all records were kept. */
  readonly shapes: ShapeCounts | null;
  readonly observations: readonly StreamObservation[];
}

/** How streams came, in the seconds in which the generator kept up; and connections that closed under a request. */
function observe(input: SummaryInput, measured: readonly LoadRecord[], totals: Totals, leaving: LeavingCount | null): Observed {
  const { records, overflow, seconds, startMs, races } = input;
  const tainted = new Set(seconds.filter((second) => second.tainted).map(({ second }) => second));
  const untainted = selectRecords(measured, (record) => !tainted.has(Math.floor((record.endMs - startMs) / 1000)));
  const shapes = overflow === null ? null : sumShapes(overflow, tainted);
  const streams = observeStreams(untainted, records, shapes);
  const others = [...observeTimeOuts(totals, input.profile), ...observeRaces(races), ...observeKeptSlots(leaving)];
  return { shapes, observations: [...streams, ...others] };
}

function sumShapes({ seconds }: Overflow, tainted: ReadonlySet<number>): ShapeCounts {
  const all = noShapes();
  for (const [second, { shapes }] of seconds) if (!tainted.has(second)) addShapes(all, shapes);
  return all;
}

/** Level by level of a search, over all that was sent at it. */
function summarizeSteps(profile: LoadProfile, { records, rates, lengthsMs }: SummaryInput): readonly LoadStep[] {
  const shape = shapeOf(profile.arrivals);
  if (shape.name !== "search") return [];
  const gates = leadingGates(profile);
  return rates.map((level, step) =>
    summarizeStep({
      ...(shape.levels.of === "rate" ? { ratePerSecond: level } : { concurrency: level }),
      ...(gates === null ? {} : { gates }),
      // Older records hold searches of which every level took as long as the first.
      lengthMs: lengthsMs?.[step] ?? 1000 * (shape.plannedTrials[0]?.seconds ?? 0),
      records: records.filter((record) => record.step === step),
    }),
  );
}

/** Closing an idle connection is lawful (RFC 9112 section 9.3); doing it all the time costs every client a connection. */
function observeRaces({ count, outOf }: SummaryInput["races"]): readonly StreamObservation[] {
  if (count < 5 || count < 0.02 * outOf) return [];
  const message =
    "the target closed connections just as they were used again; those requests were sent once more and are not counted as errors";
  return [{ id: "closes-connections", message, count, outOf }];
}

/** Latencies of prompts that were asked before are those of the cache. */
function observeCache(audit: CacheAudit | null): readonly StreamObservation[] {
  if (audit?.verdict !== "cached") return [];
  const message = `the target answers a prompt that it has answered before from a cache of responses (${audit.signs.join("; ")}): latencies of such prompts are not those of a model`;
  return [{ id: "response-cache", message, count: audit.repeated.requests, outOf: audit.repeated.requests }];
}

/** The target goes on with answers that nobody reads. */
function observeKeptSlots(leaving: LeavingCount | null): readonly StreamObservation[] {
  if (leaving?.keepsSlots !== true) return [];
  const message =
    "requests wait the longer for their first token, the more answers were left before them: the slot of a client that goes away stays taken";
  const { few, many } = leaving;
  return [{ id: "kept-slots", message, count: many.requests, outOf: few.requests + many.requests }];
}

/** A deadline of ours, by its name and bound: no error of the target, and no answer either. */
function observeTimeOuts({ outcomes, records }: Totals, { timeoutSeconds }: LoadProfile): readonly StreamObservation[] {
  const count = outcomes["timed-out"] ?? 0;
  if (count === 0) return [];
  const message = `not finished within ${timeoutSeconds} s, the time-out of this profile; percentiles rank them above all that ended`;
  return [{ id: "timed-out", message, count, outOf: records }];
}

/** The load stays the same, so that the target could settle. */
function isSteady({ arrivals }: LoadProfile): boolean {
  const shape = shapeOf(arrivals);
  return shape.name === "open" && shape.isSteady === true;
}

/** By how much answers took longer at the end than at the beginning, if they drift by the same test as that of the steady state; else 0. */
function growthOf(measured: readonly LoadRecord[]): number {
  const latencies = latenciesOf(measured);
  const fifth = Math.floor(latencies.length / 5);
  if (fifth === 0 || driftOf(latencies) !== 1) return 0;
  const mean = (values: Float64Array): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.max(0, mean(latencies.subarray(-fifth)) - mean(latencies.subarray(0, fifth)));
}

function latenciesOf(records: readonly LoadRecord[]): Float64Array {
  return collectFigures(records, (record) =>
    record.outcome === "ok" ? (record.firstTokenMs ?? record.answeredMs) - record.intendedMs : null,
  );
}

interface SteadyState {
  readonly state: LoadProfileResult["steadyState"];
  readonly distributions: readonly LoadDistribution[];
}

const unsteady: SteadyState = { state: null, distributions: [] };

/**
 * The steady state: truncation by MSER-5 on latencies of successes in order of intent, accepted only when the rest does not
 * drift. There is none when the profile is meant to change its rate or never becomes steady.
 */
function describeSteadyState(measured: readonly LoadRecord[], { startMs, fromMs, toMs }: SummaryInput): SteadyState {
  const answers = selectRecords(measured, (record) => record.outcome === "ok").toSorted((a, b) => a.intendedMs - b.intendedMs);
  const latencies = collectFigures(answers, (record) => (record.firstTokenMs ?? record.answeredMs) - record.intendedMs);
  const cut = mser5(latencies);
  if (cut === null || driftOf(latencies.subarray(cut)) !== 0) return unsteady;
  const steadyMs = cut === 0 ? fromMs : (answers[cut]?.intendedMs ?? fromMs);
  const method = "MSER-5 truncation, then no trend by Mann-Kendall at 1 %";
  const state = { fromMs: steadyMs - startMs, toMs: toMs - startMs, method };
  // A steady state that is the whole window would only repeat it.
  if (steadyMs === fromMs) return { state, distributions: [] };
  const table = tabulate(selectRecords(measured, (record) => record.intendedMs >= steadyMs));
  return { state, distributions: describeDistributions(table, "steady") };
}
