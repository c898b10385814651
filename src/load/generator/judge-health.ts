import type { GeneratorHealth } from "../../core/result/generator-health.ts";
import type { LoadSecond } from "../../core/result/load-figures.ts";
import type { HealthSecond } from "./generator-health.ts";
import type { InvalidReason } from "./invalid-reason.ts";
import { loopFigures } from "./loop-figures.ts";
import { taintBounds } from "./second-series.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { estimatePercentile, reportedPercentile } from "../statistics/percentile-estimate.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { rankInterval } from "../statistics/rank-interval.ts";
import { tail } from "../statistics/binomial.ts";
import { type SampleSet, sampleSetOf } from "../statistics/sample-set.ts";
import type { CountedValues } from "../statistics/counted-values.ts";
import type { Overflow } from "../samples/overflow.ts";
import { nearestRank, rankOf } from "../statistics/nearest-rank.ts";

export interface HealthInput {
  readonly seconds: readonly LoadSecond[];
  readonly samples: readonly HealthSecond[];
  /** Records of the measured window. */
  readonly records: readonly LoadRecord[];
  readonly openLoop: boolean;
  /** Requests in flight times milliseconds over the whole profile, counted at sends and ends. */
  readonly areaMs: number;
  /** The counts beside the records. */
  readonly overflow: Overflow | null;
  /** Records of the whole profile that are kept, for the same sum from the other side. */
  readonly allRecords: readonly LoadRecord[];
}

export interface HealthVerdict {
  readonly health: GeneratorHealth;
  /** Why the profile is not valid; empty where the generator kept up. */
  readonly reasons: readonly InvalidReason[];
  /** Whether the load was put on the target as it was asked for. */
  readonly sent: SentLoad;
}

/** `whole`: what was planned left within a second of its time. `punctual`: and so closely that it did not leave in clumps. */
export interface SentLoad {
  readonly whole: boolean;
  readonly punctual: boolean;
}

/** Share of tainted seconds, and of planned sends that did not leave in time, that a valid measurement may have. */
const mostTainted = 0.1;
const leastAchieved = 0.98;

/** Time that one of several sends of the same instant may take: several times what a healthy loop needs (bench/load/costs.bench.ts). */
const allowedMsPerTwin = 0.25;

/**
 * Whether the figures speak of the target or of the generator. Invalid is the run, never the target. Dispatch delay may be
 * 10 ms or a tenth of the median user latency at its 99th percentile; a generator later than that shows in the figures.
 */
export function judgeHealth(input: HealthInput): HealthVerdict {
  const { seconds, samples, records, overflow } = input;
  const delays = delaysOf(records);
  const { surelyLateMs, allowedMs, medianMs } = latenessOf(records, overflow);
  // The first second starts threads and connections; it is judged only when there is nothing else.
  // A second in which nothing was under way measured nothing: answers were read in it, after the last had ended.
  // Older records hold no look at the second in which the last answers were read.
  const measured = seconds.filter(
    ({ sent, ok, limited, failed, inFlight, loopDelayMaxMs }) =>
      sent > 0 || (loopDelayMaxMs !== null && ok + limited + failed + inFlight > 0),
  );
  const judged = measured.length > 3 ? measured.slice(1) : measured;
  const tainted = judged.filter((second) => second.tainted).length;
  const timely = delays.filter((delay) => delay <= 1000).length + (overflow?.timely ?? 0);
  const asked = delays.length + (overflow?.lateness.count ?? 0);
  const health: GeneratorHealth = {
    ...loopFigures(samples),
    dispatchDelayP99Ms: p99Of(delays, overflow?.lateness),
    achievedOverAsked: input.openLoop && asked > 0 ? timely / asked : null,
    littleDiscrepancy: littleDiscrepancy(input),
    runDelayMs: sumOrNull(samples.map((sample) => sample.runDelayMs)),
    taintedSeconds: tainted,
    firstTokenIntervalP99Ms: p99Of(firstTokenIntervals(records), overflow?.firstTokenIntervals),
  };
  const reasons: InvalidReason[] = [];
  const report = (code: InvalidReason["code"], text: string): number => reasons.push({ code, text });
  if (judged.length > 0 && tainted / judged.length > mostTainted) {
    const saturated = judged.filter(({ loopUtilization }) => (loopUtilization ?? 0) > taintBounds.loopUtilization);
    report(
      "generator-limited",
      !input.openLoop && saturated.length > judged.length / 2
        ? `the loop kept the generator busy all the time: ${answersPerSecond(saturated)} answers a second are the generator's ceiling, not the target's`
        : `${tainted} of ${judged.length} seconds were over the bounds of the generator`,
    );
  }
  const isLate = input.openLoop && surelyLateMs !== null && surelyLateMs > allowedMs;
  if (isLate) {
    report(
      "generator-limited",
      `sends left ${surelyLateMs.toFixed(1)} ms late and more (p99), ${allowedMs.toFixed(1)} ms are allowed beside a median of ${medianMs.toFixed(1)} ms`,
    );
  }
  const isWhole = health.achievedOverAsked === null || health.achievedOverAsked >= leastAchieved;
  if (!isWhole) {
    report(
      "generator-limited",
      `${(Math.floor(1000 * (health.achievedOverAsked ?? 0) + 1e-6) / 10).toFixed(1)} % of the planned sends left within a second of their time`,
    );
  }
  // Between the last byte and its notice lie some turns of the loop, and the longest of them: an answer may wait as long again.
  const sent = input.allRecords.filter((record) => record.outcome !== "not-sent").length + (overflow?.sent ?? 0);
  const noticeMs = ((health.littleDiscrepancy ?? 0) * input.areaMs) / Math.max(1, sent);
  const allowedShare = 1 / Math.sqrt(Math.max(1, sent));
  if (
    health.littleDiscrepancy !== null &&
    health.littleDiscrepancy > allowedShare &&
    noticeMs > 5 + (health.loopDelayMaxMs ?? 0)
  ) {
    report(
      "bookkeeping",
      `requests in flight and latencies disagree by ${(100 * health.littleDiscrepancy).toFixed(1)} % (Little's law)`,
    );
  }
  return { health, reasons, sent: { whole: isWhole, punctual: isWhole && !isLate } };
}

function answersPerSecond(seconds: readonly LoadSecond[]): number {
  return Math.round(mean(seconds.map(({ ok, limited, failed }) => ok + limited + failed)));
}

/** |L - lambda W| / L over the whole profile: the counter of requests in flight against the sum of their latencies. */
function littleDiscrepancy(input: HealthInput): number | null {
  const sum = input.allRecords.reduce(
    (total, record) => total + (record.outcome === "not-sent" ? 0 : record.endMs - record.issuedMs),
    input.overflow?.areaMs ?? 0,
  );
  return input.areaMs <= 0 || input.allRecords.length < 20 ? null : Math.abs(input.areaMs - sum) / input.areaMs;
}

/** How late sends left the generator at the 99th percentile, and how late they may be beside what was measured. */
export function latenessOf(
  records: readonly LoadRecord[],
  overflow: Pick<Overflow, "lateness" | "figures"> | null = null,
): {
  /** Lower end of the interval: one pause among thirty sends is no 99th percentile. Null where there are too few. */
  readonly surelyLateMs: number | null;
  readonly allowedMs: number;
  readonly medianMs: number;
} {
  const answers = collectFigures(records, (record) => (record.outcome === "ok" ? record.answeredMs - record.intendedMs : null));
  const counted = [...(overflow?.figures.values() ?? [])].filter(
    ({ metric, outcome }) => metric === "user-latency" && outcome === "ok",
  );
  const waits = counted.map(({ values }) => values);
  const medianMs = (waits.length === 0 ? nearestRank(answers, 50) : rankOf(sampleSetOf(answers, waits), 50)) ?? 0;
  return {
    surelyLateMs: surelyAt99(sampleSetOf(delaysOf(records), overflow === null ? [] : [overflow.lateness])),
    // Requests that are due at one instant leave one after the other.
    allowedMs: Math.max(10, 0.1 * medianMs, allowedMsPerTwin * mostAtOneInstant(records)),
    medianMs,
  };
}

/** Delays are what happened and no sample of what might: whether they depend on each other is no matter. */
function surelyAt99(delays: SampleSet): number | null {
  const { low } = rankInterval(delays.count, delays.count, 0.99, tail);
  return low === null ? null : delays.orderStatistic(low);
}

function delaysOf(records: readonly LoadRecord[]): Float64Array {
  return collectFigures(records, ({ attempt, issuedMs, intendedMs }) =>
    attempt === 1 ? Math.max(0, issuedMs - intendedMs) : null,
  );
}

/** Size of the largest burst: first attempts that the schedule wanted sent at the very same instant. */
function mostAtOneInstant(records: readonly LoadRecord[]): number {
  const instants = collectFigures(records, ({ attempt, intendedMs }) => (attempt === 1 ? intendedMs : null)).sort();
  let most = 0;
  let from = 0;
  for (let at = 0; at < instants.length; at += 1) {
    if (instants[at] !== instants[from]) from = at;
    most = Math.max(most, at - from + 1);
  }
  return most > 1 ? most : 0;
}

function firstTokenIntervals(records: readonly LoadRecord[]): Float64Array {
  return collectFigures(records, ({ firstTokenMs, firstTokenEarliestMs }) =>
    firstTokenMs === null || firstTokenEarliestMs === null ? null : firstTokenMs - firstTokenEarliestMs,
  );
}

/** Null below the sample floor. */
function p99Of(values: Float64Array, counted: CountedValues | undefined): number | null {
  if (counted === undefined) return reportedPercentile(values, 99);
  return estimatePercentile(sampleSetOf(values, [counted]), 99).value;
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function sumOrNull(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}
