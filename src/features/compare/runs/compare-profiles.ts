import { latencyPercentiles } from "../../../report/text/latency-rows.ts";
import type { ComparisonMethod, MetricComparison, QuantileShift } from "../../../core/result/compare-result.ts";
import type { LoadBlocks, LoadMetric } from "../../../core/result/load-figures.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { Random } from "../../../core/random.ts";
import { bucketWidth } from "../../../load/samples/load-views.ts";
import {
  bootstrapBlocks,
  metricBlocks,
  normalQuantile,
  percentileStatistic,
  ratioStatistic,
  type BootstrapComparison,
  type Rounds,
} from "../../../load/statistics/bootstrap-blocks.ts";
import { sampleFloor } from "../../../load/statistics/percentile-estimate.ts";

/** All rounds of one profile on both sides; one round each unless the run was interleaved. */
export interface ProfilePair {
  readonly id: string;
  readonly base: readonly LoadProfileResult[];
  readonly next: readonly LoadProfileResult[];
}

const latencyMetrics: readonly LoadMetric[] = ["ttft", "tpot", "inter-chunk", "service-latency", "user-latency"];
/** A shift function is read at these; fewer than four of them show no shape. */
const shiftPercentiles: readonly number[] = [10, 25, 50, 75, 90, 95, 99];
const leastShiftPoints = 4;
/** Fewer blocks say nothing about their own spread. */
const leastBlocks = 8;
/** Tails live in few blocks: a bootstrap over less than this many would take the luck of one block for the tail. */
const leastBlocksFor: Readonly<Record<number, number>> = { 90: 12, 95: 16, 99: 40 };

/**
 * Largest error of the instrument in either run, by metric, in milliseconds; differences below it are not the target's. Null: it is
 * not known of both.
 */
export type InstrumentError = (metric: MetricComparison["metric"]) => number | null;

interface Candidate {
  readonly metric: MetricComparison["metric"];
  readonly endpoint: MetricComparison["endpoint"];
  readonly unit: MetricComparison["unit"];
  readonly better: MetricComparison["better"];
  readonly statistics: readonly string[];
  readonly base: Rounds;
  readonly next: Rounds;
  /** Of distributions: what a shift function can be read at; null for rates. */
  readonly shift: { readonly metric: LoadMetric; readonly percentiles: readonly number[] } | null;
}

export interface PairComparison {
  readonly metrics: readonly MetricComparison[];
  readonly shifts: readonly QuantileShift[];
  readonly notCompared: readonly { readonly profile: string; readonly metric: string; readonly reason: string }[];
}

/**
 * Compares every metric that both sides measured. The confidence is corrected for the number of statistics by Bonferroni, over
 * all profiles. A change counts only when its interval leaves out zero and it is at least the minimum effect.
 */
export function comparePairs(
  pairs: readonly ProfilePair[],
  method: ComparisonMethod,
  random: Random,
  instrumentError: InstrumentError,
): PairComparison {
  const notCompared: { profile: string; metric: string; reason: string }[] = [];
  const work = pairs.map((pair) => ({ pair, candidates: findCandidates(pair, notCompared) }));
  const comparisons = work.reduce(
    (sum, { candidates }) => sum + candidates.reduce((all, each) => all + each.statistics.length, 0),
    0,
  );
  const confidence = 1 - (1 - method.confidence) / Math.max(1, comparisons);
  const metrics = work.flatMap(({ pair, candidates }) =>
    candidates.flatMap((candidate) =>
      compareCandidate(
        pair.id,
        candidate,
        { ...method, confidence },
        random.fork(`${pair.id}/${candidate.metric}/${candidate.endpoint ?? ""}`),
        instrumentError(candidate.metric),
      ),
    ),
  );
  const rank = (verdict: MetricComparison["verdict"]): number =>
    ["worse", "instrument unknown", "better", "no detectable change", "too few"].indexOf(verdict);
  const size = (metric: MetricComparison): number => Math.abs(metric.relative?.value ?? 0);
  const shifts = work.flatMap(({ pair, candidates }) =>
    candidates.flatMap((candidate) =>
      shiftOf(pair.id, candidate, method, random.fork(`${pair.id}/${candidate.metric}/${candidate.endpoint ?? ""}/shift`)),
    ),
  );
  return { metrics: metrics.toSorted((a, b) => rank(a.verdict) - rank(b.verdict) || size(b) - size(a)), shifts, notCompared };
}

function findCandidates(
  pair: ProfilePair,
  notCompared: { profile: string; metric: string; reason: string }[],
): readonly Candidate[] {
  const base = blocksOf(pair.base);
  const next = blocksOf(pair.next);
  if (base === null || next === null) {
    notCompared.push({ profile: pair.id, metric: "all", reason: "the measured window was too short to be cut into blocks" });
    return [];
  }
  const candidates: Candidate[] = [];
  const endpoints = new Set([...base, ...next].flatMap((blocks) => blocks.metrics.map(({ endpoint }) => endpoint)));
  for (const endpoint of endpoints) {
    for (const metric of latencyMetrics) {
      const sides = [base, next].map((rounds) => rounds.map((blocks) => metricBlocks(blocks, metric, endpoint)));
      const [left = [], right = []] = sides.map((rounds) => rounds.filter((blocks) => blocks !== null));
      if (left.length === 0 && right.length === 0) continue;
      if (left.length < base.length || right.length < next.length) {
        notCompared.push({ profile: pair.id, metric: `${endpoint} ${metric}`, reason: "only one side measured it" });
        continue;
      }
      const count = Math.min(sumCounts(left), sumCounts(right));
      const blockCount = Math.min(left.flat().length, right.flat().length);
      const isKnown = (percentile: number): boolean =>
        count >= sampleFloor(percentile) && blockCount >= (leastBlocksFor[percentile] ?? leastBlocks);
      const known = latencyPercentiles.filter((percentile) => percentile === 50 || isKnown(percentile));
      candidates.push({
        metric,
        endpoint,
        unit: "ms",
        better: "lower",
        statistics: known.map((percentile) => `p${percentile}`),
        base: left,
        next: right,
        shift: { metric, percentiles: shiftPercentiles.filter(isKnown) },
      });
    }
  }
  const rate = (
    metric: Candidate["metric"],
    unit: Candidate["unit"],
    statistic: string,
    pairOf: (blocks: LoadBlocks, block: number) => readonly [number, number],
  ): void => {
    const side = (rounds: readonly LoadBlocks[]): Rounds =>
      rounds.map((blocks) => blocks.attempted.map((_, block) => pairOf(blocks, block)));
    candidates.push({
      metric,
      endpoint: null,
      unit,
      better: "higher",
      statistics: [statistic],
      base: side(base),
      next: side(next),
      shift: null,
    });
  };
  rate("good-fraction", "fraction", "fraction", (blocks, block) => [blocks.good[block] ?? 0, blocks.attempted[block] ?? 0]);
  rate("ok-per-second", "/s", "rate", (blocks, block) => [blocks.ok[block] ?? 0, blocks.blockMs / 1000]);
  if ([...base, ...next].some((blocks) => blocks.outputTokens.some((tokens) => tokens > 0))) {
    rate("output-tokens-per-second", "/s", "rate", (blocks, block) => [blocks.outputTokens[block] ?? 0, blocks.blockMs / 1000]);
  }
  return candidates;
}

function compareCandidate(
  profile: string,
  candidate: Candidate,
  method: ComparisonMethod,
  random: Random,
  errorMs: number | null,
): readonly MetricComparison[] {
  const { base, next, shift } = candidate;
  const numbers = candidate.statistics.map((statistic) => Number(statistic.slice(1)));
  const statistic = shift !== null ? percentileStatistic(numbers, bucketWidth, [base, next]) : ratioStatistic();
  const results = bootstrapBlocks(base, next, statistic, { resamples: method.resamples, random, confidence: method.confidence });
  // A block without a sample of this metric says nothing about its spread.
  const filled = (side: Rounds): number =>
    side.flat().filter((block) => (shift === null ? (block[1] ?? 0) > 0 : block.length > 0)).length;
  const blocks: readonly [number, number] = [filled(base), filled(next)];
  const counts = [base, next].map((side) =>
    shift !== null ? sumCounts(side) : side.flat().reduce((sum, block) => sum + (block[0] ?? 0), 0),
  );
  return results.map((result, figure) => {
    const { verdict, reason } = judge(candidate, result, blocks, method, errorMs);
    const z = normalQuantile(1 - (1 - method.confidence) / 2) + normalQuantile(0.8);
    const effect = result.base.value === 0 ? null : (z * result.standardError) / Math.abs(result.base.value);
    return {
      profile,
      metric: candidate.metric,
      endpoint: candidate.endpoint,
      statistic: candidate.statistics[figure] ?? "",
      unit: candidate.unit,
      better: candidate.better,
      base: { ...result.base, count: counts[0] ?? 0 },
      next: { ...result.next, count: counts[1] ?? 0 },
      difference: result.difference,
      relative: result.relative,
      verdict,
      minimumDetectableEffect: effect !== null && Number.isFinite(effect) ? effect : null,
      blocks,
      reason,
    };
  });
}

function shiftOf(profile: string, candidate: Candidate, method: ComparisonMethod, random: Random): readonly QuantileShift[] {
  const { base, next, endpoint, shift } = candidate;
  if (shift === null || shift.percentiles.length < leastShiftPoints) return [];
  const statistic = percentileStatistic(shift.percentiles, bucketWidth, [base, next]);
  const { resamples, confidence } = method;
  const results = bootstrapBlocks(base, next, statistic, { resamples, random, confidence });
  const quantiles = results.flatMap(({ base: before, next: after, relative }, index) => {
    const percentile = shift.percentiles[index];
    if (percentile === undefined || relative === null || !Number.isFinite(relative.value)) return [];
    const { value, low, high } = relative;
    return [{ percentile, base: before.value, next: after.value, relative: { value, low, high } }];
  });
  return [{ profile, metric: shift.metric, endpoint, quantiles }];
}

const unknownError = "the error of the instrument is not known of both runs, and may be as large as this change";

function judge(
  candidate: Candidate,
  result: BootstrapComparison,
  blocks: readonly [number, number],
  method: ComparisonMethod,
  errorMs: number | null,
): Pick<MetricComparison, "verdict" | "reason"> {
  if (Math.min(...blocks) < leastBlocks) {
    return { verdict: "too few", reason: `${Math.min(...blocks)} blocks of time hold samples; ${leastBlocks} are needed` };
  }
  const { low, high, value } = result.difference;
  if (!Number.isFinite(value)) return { verdict: "too few", reason: "no samples on one side" };
  // A resample without any sample has no percentile: no comparison with NaN is ever true, and that must not read as a change.
  if (!Number.isFinite(low) || !Number.isFinite(high)) {
    return { verdict: "too few", reason: "too few blocks of time hold samples to bound the change" };
  }
  if (low <= 0 && high >= 0) return { verdict: "no detectable change", reason: null };
  if (Math.abs(result.relative?.value ?? Infinity) < method.minimumEffect) {
    return { verdict: "no detectable change", reason: `smaller than the minimum effect of ${100 * method.minimumEffect} %` };
  }
  if (candidate.unit === "ms" && errorMs === null) return { verdict: "instrument unknown", reason: unknownError };
  if (candidate.unit === "ms" && errorMs !== null && Math.abs(value) < errorMs) {
    return {
      verdict: "no detectable change",
      reason: `smaller than the error of the instrument, ${errorMs.toFixed(2)} ms (p99)`,
    };
  }
  return { verdict: value > 0 === (candidate.better === "higher") ? "better" : "worse", reason: null };
}

function blocksOf(results: readonly LoadProfileResult[]): readonly LoadBlocks[] | null {
  const blocks = results.map((result) => result.blocks).filter((each) => each !== null);
  return blocks.length < results.length || blocks.length === 0 ? null : blocks;
}

function sumCounts(rounds: Rounds): number {
  return rounds
    .flat()
    .reduce((sum, block) => sum + block.reduce((all, value, index) => all + (index % 2 === 1 ? value : 0), 0), 0);
}
