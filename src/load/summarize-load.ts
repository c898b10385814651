import type { EndpointId } from "../core/endpoint.ts";
import type { GateResult, LoadProfileResult, LoadStep, OutcomeClass } from "../core/load-result.ts";
import type { Random } from "../core/random.ts";
import { isError } from "./abort-watch.ts";
import { describeArrivals } from "./arrival-schedule.ts";
import type { HealthSecond } from "./generator-health.ts";
import { judgeGate, type GateSource } from "./judge-gate.ts";
import { judgeHealth } from "./judge-health.ts";
import type { LoadProfile } from "./load-profile.ts";
import type { LoadRecord } from "./load-record.ts";
import { cutBlocks, describeDistributions, drawHeatmap, sampleStreams } from "./load-views.ts";
import { parseGate } from "./parse-gate.ts";
import { tabulate, type MetricTable } from "./record-store.ts";
import { nearestRank, type SecondSeries } from "./second-series.ts";
import { reconcileServerTimings } from "./server-truth.ts";
import { driftOf, mser5 } from "./steady-state.ts";
import { observeStreams, type StreamObservation } from "./stream-honesty.ts";

export interface SummaryInput {
  readonly profile: LoadProfile;
  readonly workload: string;
  readonly records: readonly LoadRecord[];
  readonly series: SecondSeries;
  readonly health: readonly HealthSecond[];
  readonly planned: number;
  readonly retried: number;
  readonly races: { readonly count: number; readonly outOf: number };
  readonly startMs: number;
  /** Start and end of the measured window on the run clock. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly endMs: number;
  readonly steps: readonly LoadStep[];
  readonly knee: LoadProfileResult["knee"];
  /** Reason of an early end; null when the profile ran to its end. */
  readonly stopReason: string | null;
  readonly random: Random;
  readonly limits: GateSource["limits"];
}

/** Turns the books of a profile into its result. Pure. */
export function summarizeLoad(input: SummaryInput): LoadProfileResult {
  const { profile, fromMs, toMs } = input;
  const measured = input.records.filter((record) => record.phase === "measure" && record.intendedMs < toMs);
  const windowMs = Math.max(0, toMs - fromMs);
  const table = tabulate(measured);
  const seconds = input.series.seconds();
  const tainted = new Set(seconds.filter((second) => second.tainted).map(({ second }) => second));
  const untainted = measured.filter((record) => !tainted.has(Math.floor((record.endMs - input.startMs) / 1000)));
  const observations = [...observeStreams(untainted), ...observeRaces(input.races)];
  const steady = findSteadyState(measured, fromMs, toMs);
  const steadyRecords = steady === null ? [] : measured.filter((record) => record.intendedMs >= steady.fromMs);
  const { health, validity } = judgeHealth({
    seconds,
    samples: input.health,
    records: measured,
    openLoop: profile.arrivals.kind !== "closed",
    windowMs,
    areaMs: input.series.area(input.endMs),
    allRecords: input.records,
  });
  const totals = countTotals(measured);
  const perSecond = (count: number): number => (windowMs > 0 ? (1000 * count) / windowMs : 0);
  const reasons = [...validity.reasons];
  const gates = judgeGates(profile, { input, measured, table, totals, perSecond, observations });
  // A target that failed so plainly that the rest was spared was measured; without a failed gate nobody would see it.
  const decided = /^(?:hopeless|error storm)/.test(input.stopReason ?? "") && gates.some((gate) => gate.verdict === "fail");
  if (input.stopReason !== null && !decided) reasons.push(`ended early: ${input.stopReason}`);
  if (totals.attempted === 0) reasons.push("nothing was measured");
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
      sent: input.records.filter((record) => record.outcome !== "not-sent").length,
      completed: input.records.filter((record) => record.outcome === "ok").length,
      retried: input.retried,
    },
    outcomes: totals.outcomes,
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
    heatmap: drawHeatmap(measured, fromMs, windowMs),
    streams: sampleStreams(measured, input.startMs, input.random),
    observations,
    serverTruth: reconcileServerTimings(measured),
    steadyState:
      steady === null ? null : { fromMs: steady.fromMs - input.startMs, toMs: toMs - input.startMs, method: steady.method },
    crossCheck: null,
    steps: input.steps,
    knee: input.knee,
    gates,
    blocks: cutBlocks(measured, fromMs, windowMs),
    health,
    endedEarly: input.stopReason,
    validity: { valid: reasons.length === 0, reasons },
  };
}

/** Closing an idle connection is lawful (RFC 9112 section 9.3); doing it all the time costs every client a connection. */
function observeRaces({ count, outOf }: SummaryInput["races"]): readonly StreamObservation[] {
  if (count < 5 || count < 0.02 * outOf) return [];
  const message =
    "the target closed connections just as they were used again; those requests were sent once more and are not counted as errors";
  return [{ id: "closes-connections", message, count, outOf }];
}

interface Totals {
  readonly outcomes: Partial<Record<OutcomeClass, number>>;
  /** Logical requests that fell due, sent or not. */
  readonly attempted: number;
  readonly good: number;
  readonly outputTokens: number | null;
}

function countTotals(records: readonly LoadRecord[]): Totals {
  const outcomes: Partial<Record<OutcomeClass, number>> = {};
  let attempted = 0;
  let good = 0;
  let outputTokens: number | null = null;
  for (const record of records) {
    outcomes[record.outcome] = (outcomes[record.outcome] ?? 0) + 1;
    if (record.attempt === 1) attempted += 1;
    if (record.good) good += 1;
    if (record.outputTokens !== null && record.outcome === "ok") outputTokens = (outputTokens ?? 0) + record.outputTokens;
  }
  return { outcomes, attempted, good, outputTokens };
}

interface GateContext {
  readonly input: SummaryInput;
  readonly measured: readonly LoadRecord[];
  readonly table: MetricTable;
  readonly totals: Totals;
  perSecond(count: number): number;
  readonly observations: readonly StreamObservation[];
}

function judgeGates(profile: LoadProfile, context: GateContext): readonly GateResult[] {
  const { table, observations } = context;
  const scoped = new Map<EndpointId | null, { readonly records: readonly LoadRecord[]; readonly totals: Totals }>();
  scoped.set(null, { records: context.measured, totals: context.totals });
  const scope = (endpoint: EndpointId | null): { readonly records: readonly LoadRecord[]; readonly totals: Totals } => {
    let found = scoped.get(endpoint);
    if (found === undefined) {
      const records = context.measured.filter((record) => record.endpoint === endpoint);
      found = { records, totals: countTotals(records) };
      scoped.set(endpoint, found);
    }
    return found;
  };
  const count = (endpoint: EndpointId | null, matches: (record: LoadRecord) => boolean): number =>
    scope(endpoint).records.reduce((sum, record) => sum + (matches(record) ? 1 : 0), 0);
  const source: GateSource = {
    endpoints: [...new Set(profile.workload.map((item) => item.endpoint))],
    samples: (metric, endpoint) => table.get(metric, endpoint, "ok")?.samples ?? null,
    fraction(name, endpoint) {
      const { attempted, good } = scope(endpoint).totals;
      const dropped = count(endpoint, (record) => record.outcome === "not-sent");
      switch (name) {
        case "error_rate":
          return [count(endpoint, isError), scope(endpoint).records.length - dropped];
        case "reject_rate":
          return [count(endpoint, (record) => record.status === 429), scope(endpoint).records.length - dropped];
        case "dropped_rate":
          return [dropped, attempted];
        case "goodput":
          return [good, attempted];
        default:
          return name satisfies never;
      }
    },
    rate(name, endpoint) {
      const { attempted, good, outcomes, outputTokens } = scope(endpoint).totals;
      switch (name) {
        case "ok_rate":
          return context.perSecond(outcomes.ok ?? 0);
        case "achieved_rate":
          return context.perSecond(attempted - (outcomes["not-sent"] ?? 0));
        case "goodput_rate":
          return context.perSecond(good);
        case "output_tokens_rate":
          return outputTokens === null ? null : context.perSecond(outputTokens);
        default:
          return name satisfies never;
      }
    },
    count(name, endpoint) {
      switch (name) {
        case "errors":
          return count(endpoint, isError);
        case "rejects":
          return count(endpoint, (record) => record.status === 429);
        case "requests":
          return scope(endpoint).totals.attempted;
        case "retries":
          return count(endpoint, (record) => record.attempt > 1);
        default:
          return name satisfies never;
      }
    },
    observation: (id) =>
      context.measured.some((record) => record.stream !== null)
        ? (observations.find((observation) => observation.id === id)?.count ?? 0)
        : null,
    limits: context.input.limits,
  };
  return profile.gates.map((expression) => judgeGate(parseGate(expression), source));
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
  const answers = records.filter((record) => record.outcome === "ok").sort((a, b) => a.intendedMs - b.intendedMs);
  const latencies = answers.map((record) => (record.firstTokenMs ?? record.answeredMs) - record.intendedMs);
  const cut = mser5(latencies);
  if (cut === null || driftOf(latencies.slice(cut)) !== 0) return null;
  const start = cut === 0 ? fromMs : (answers[cut]?.intendedMs ?? fromMs);
  return { fromMs: start, toMs, method: "MSER-5 truncation, then no trend by Mann-Kendall at 1 %" };
}

/** One rate of a sweep or bisection. */
export function summarizeStep(
  records: readonly LoadRecord[],
  offered: number,
  lengthMs: number,
  leastGood: number,
): LoadStep & { readonly verdict: "pass" | "fail" } {
  const totals = countTotals(records);
  const sent = totals.attempted - (totals.outcomes["not-sent"] ?? 0);
  const answers = records.filter((record) => record.outcome === "ok");
  const good = totals.attempted === 0 ? 0 : totals.good / totals.attempted;
  return {
    offered,
    achieved: (1000 * sent) / lengthMs,
    goodput: (1000 * totals.good) / lengthMs,
    userLatencyP95: nearestRank(
      answers.map((record) => record.answeredMs - record.intendedMs),
      95,
    ),
    ttftP95: nearestRank(
      answers.filter((record) => record.firstTokenMs !== null).map((record) => (record.firstTokenMs ?? 0) - record.sentMs),
      95,
    ),
    verdict: good >= leastGood ? "pass" : "fail",
  };
}
