import type { LoadProfileResult, RequestCounts } from "../../core/result/load-result.ts";
import { describeSteadyState, growthOf, unsteady } from "./describe-steady-state.ts";
import { levelError } from "./level-error.ts";
import { observeLoad } from "./observe-load.ts";
import type { SummaryInput } from "./summary-input.ts";
import { type SearchSummary, summarizeSteps } from "./summarize-steps.ts";
import { findKnee, kneeOfCapacity } from "./find-knee.ts";
import { judgedGates } from "../gates/leading-gates.ts";
import { concurrencyOf, describeArrivals, shapeOf } from "../arrivals/arrival-kinds.ts";
import { isSteady } from "../arrivals/is-steady.ts";
import { describeLeaving } from "../samples/describe-leaving.ts";
import { countCached } from "../samples/count-cached.ts";
import { countLengths } from "../samples/count-lengths.ts";
import { ratesOf } from "../samples/count-totals.ts";
import { countWhole } from "../samples/count-whole.ts";
import { createGateSource, type GateContext } from "../gates/gate-source.ts";
import type { GateSource } from "../gates/read-figure.ts";
import type { ShiftedFigures } from "../gates/doubt-shift.ts";
import { createRereadSource } from "../gates/reread-source.ts";
import { createShiftedSource } from "../gates/shifted-source.ts";
import { judgeHealth } from "../generator/judge-health.ts";
import { createLoopDelays } from "../generator/loop-delays.ts";
import { longestDelay } from "../generator/longest-delay.ts";
import { placeIn, replacedSeconds } from "../generator/replaced-seconds.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { cutBlocks, describeDistributions, drawHeatmap, sampleStreams } from "../samples/load-views.ts";
import { tabulate } from "../samples/record-store.ts";
import { joinedOutcome } from "../samples/joined-outcome.ts";
import { measureLoop, openLoop } from "../samples/measure-loop.ts";
import { orderByIntent } from "../samples/order-by-intent.ts";
import type { WaitingLoad } from "../samples/speed-without-delays.ts";
import { selectRecords } from "../samples/select-records.ts";
import type { Extreme, LoopDelays } from "../samples/reread-record.ts";
import { reconcileServerTimings } from "../samples/server-truth.ts";
import type { LoadLateness } from "../gates/doubt-lateness.ts";
import { settleGates } from "../gates/settle-gates.ts";

/** Turns the records of a profile into its result. Pure. */
export function summarizeLoad(input: SummaryInput): LoadProfileResult {
  const { profile, records, overflow, seconds, startMs, fromMs, toMs } = input;
  const { replacedSteps = [] } = input;
  const levels = secondsOfReplacedLevels(input);
  const replaced = levels.size > 0 ? levels : replacedSeconds(input);
  const secondOf = ({ intendedMs }: LoadRecord): number => Math.floor((intendedMs - startMs) / 1000);
  // Levels that were tried again share seconds with those that stay.
  const isReplaced = (record: LoadRecord): boolean =>
    replacedSteps.length > 0 ? replacedSteps.includes(record.step) : replaced.has(secondOf(record));
  const measured = orderByIntent(
    selectRecords(records, (record) => record.phase === "measure" && record.intendedMs < toMs && !isReplaced(record)),
  );
  const stays = new Set(replaced.size === 0 ? [] : measured.map(secondOf));
  const lost = new Set([...replaced].filter((second) => !stays.has(second)));
  const placeOf = placeIn(lost, input);
  const windowMs = Math.max(0, toMs - fromMs - 1000 * lost.size);
  const loop = shapeOf(profile.arrivals).name === "loop" && overflow === null ? measureLoop(records, { fromMs, toMs }) : openLoop;
  const perSecond = (count: number): number => (windowMs > 0 ? (1000 * count * loop.inWindow) / windowMs : 0);
  const table = tabulate(measured, overflow);
  const totals = countWhole(measured, overflow);
  const leaving = describeLeaving(measured, records);
  const { cacheAudit = null } = input;
  const { shapes, observations, paused } = observeLoad(input, { measured, totals, leaving });
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
  const delays = seconds.length > 0 && input.virtualTime !== true ? createLoopDelays(seconds, input.health, startMs) : null;
  const search = summarizeSteps(input, delays);
  const { steps, capacity } = search;
  const { limits, calibration, uncalibrated, stopReason: early } = input;
  const context: GateContext = {
    profile,
    measured,
    overflow,
    shapes,
    table,
    totals,
    perSecond,
    rateError: loop.rateError,
    speed: 1,
    observations,
    paused,
    keepsSlots: leaving?.keepsSlots ?? null,
    cacheAudit,
    limits,
    capacity,
    plannedOfHopeless: early?.kind === "hopeless" ? input.planned : null,
  };
  const { gates, validity } = settleGates({
    gates: judgedGates(profile),
    source: createGateSource(context),
    sent,
    lateness: delays === null ? null : readLateness(context, input, search, delays),
    outcomes: totals.outcomes,
    partly: measured.some(
      (record) => record.outcome !== "ok" && joinedOutcome(record.outcome) === "ok" && record.firstByteMs !== null,
    ),
    early,
    faults,
    calibration,
    ...(uncalibrated !== undefined && { uncalibrated }),
    shift: readShift(context, input, search),
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
    health: replaced.size === 0 || levels.size > 0 ? health : { ...health, replacedSeconds: replaced.size },
    endedEarly: early?.words ?? null,
    ...(isWhole ? {} : { counted: { kept: records.length, counted: overflow.records } }),
    validity:
      replaced.size === 0
        ? validity
        : { ...validity, remarks: [...(validity.remarks ?? []), describeReplaced(input, replaced.size)] },
  };
}

function readLateness(
  context: GateContext,
  input: SummaryInput,
  { rereadCapacity }: SearchSummary,
  delays: LoopDelays,
): LoadLateness {
  const waiting = waitingLoad(input);
  const reread = (extreme: Extreme): (() => GateSource) =>
    createRereadSource({ ...context, capacity: rereadCapacity?.[extreme] ?? null }, extreme, { delays, waiting });
  const { seconds } = input;
  return { reread: { shortest: reread("shortest"), longest: reread("longest") }, mostMs: longestDelay(seconds) };
}

function readShift(context: GateContext, input: SummaryInput, { shiftedCapacity }: SearchSummary): ShiftedFigures | null {
  const wrong = levelError(input, input.profile.gates);
  if (wrong === null) return null;
  const shifted = (extreme: Extreme): (() => GateSource) =>
    createShiftedSource({ ...context, capacity: shiftedCapacity?.[extreme] ?? null }, extreme, wrong.error);
  return { shifted: { shortest: shifted("shortest"), longest: shifted("longest") }, because: wrong.because("this gate") };
}

function waitingLoad({ profile, records, overflow, fromMs, toMs }: SummaryInput): WaitingLoad {
  const shape = shapeOf(profile.arrivals);
  const open = { concurrency: shape.name === "conversations" ? null : profile.maxInFlight, thinkMs: 0 };
  const { concurrency, thinkMs } = shape.name === "loop" ? shape : open;
  return { records, overflow, fromMs, toMs, concurrency, thinkMs };
}

/** The seconds in which something was under way of levels that were tried again. */
function secondsOfReplacedLevels({ records, seconds, replacedSteps = [], startMs }: SummaryInput): ReadonlySet<number> {
  const spans = replacedSteps.map((step) => {
    const level = records.filter((record) => record.step === step);
    const from = level.reduce((least, { intendedMs }) => Math.min(least, intendedMs), Infinity);
    return { from: from - startMs, to: level.reduce((most, { endMs }) => Math.max(most, endMs), -Infinity) - startMs };
  });
  const inside = seconds.filter(({ second }) => spans.some(({ from, to }) => 1000 * (second + 1) > from && 1000 * second <= to));
  return new Set(inside.map(({ second }) => second));
}

function describeReplaced({ rates, replacedSteps = [] }: SummaryInput, seconds: number): string {
  const levels = [...new Set(replacedSteps.map((step) => rates[step]))];
  if (levels.length > 0) {
    const [name, they] = levels.length === 1 ? ["level", "it was"] : ["levels", "they were"];
    return `the generator was late at ${name} ${levels.join(", ")} of the search: ${they} tried again, and what was measured before counts for nothing`;
  }
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
