import type { IsotonicPoint } from "./isotonic-blocks.ts";

/** Trials at one level, and how many independent requests those are worth. */
export interface CrossingPoint extends Pick<IsotonicPoint, "level" | "share"> {
  readonly effective: number;
}

/** The chance that the level of a crossing lies at each of these or below. */
export interface Crossing {
  /** Natural logarithms, ascending. */
  readonly levels: Float64Array;
  readonly chances: Float64Array;
}

/**
 * The level at which the share of requests that miss a gate crosses the allowed one: log-odds on a straight line over the logarithm of the level,
 * with levels near the crossing weighing most. Every crossing and every slope is weighed by its deviance from the trials, with tails of
 * Student's t as the dependence of requests is itself estimated; the slope is summed over.
 */
export function crossingPosterior(
  points: readonly CrossingPoint[],
  allowed: number,
  { start, freedom }: { readonly start: number; readonly freedom: number },
): Crossing {
  const logs = points.map(({ level }) => Math.log(level));
  let range = { from: Math.min(...logs) - Math.LN2, to: Math.max(...logs) + Math.LN2 };
  let crossing = weigh(points, allowed, { ...range, centre: Math.log(start), freedom });
  for (let pass = 0; pass < refinements; pass += 1) {
    const step = (range.to - range.from) / gridPoints;
    range = { from: levelAt(crossing, 1e-4) - step, to: levelAt(crossing, 1 - 1e-4) + step };
    crossing = weigh(points, allowed, { ...range, centre: levelAt(crossing, 0.5), freedom });
  }
  return crossing;
}

/** The logarithm of the level below which the crossing lies with this chance. */
export function levelAt({ levels, chances }: Crossing, chance: number): number {
  const after = chances.findIndex((one) => one >= chance);
  if (after <= 0) return levels[Math.max(0, after)] ?? Number.NaN;
  const [from, to] = [chances[after - 1] ?? 0, chances[after] ?? 1];
  const [low, high] = [levels[after - 1] ?? 0, levels[after] ?? 0];
  return low + ((high - low) * (chance - from)) / Math.max(1e-12, to - from);
}

/** The chance that the crossing lies at this logarithm of a level or below. */
export function chanceAt({ levels, chances }: Crossing, level: number): number {
  const after = levels.findIndex((one) => one >= level);
  if (after === -1) return 1;
  if (after === 0) return chances[0] ?? 0;
  const [low, high] = [levels[after - 1] ?? 0, levels[after] ?? 0];
  const [from, to] = [chances[after - 1] ?? 0, chances[after] ?? 1];
  return from + ((to - from) * (level - low)) / Math.max(1e-12, high - low);
}

interface Grid {
  readonly from: number;
  readonly to: number;
  /** The levels near it weigh most. */
  readonly centre: number;
  readonly freedom: number;
}

function weigh(points: readonly CrossingPoint[], allowed: number, { from, to, centre, freedom }: Grid): Crossing {
  const devianceAt = devianceOf(points, allowed, centre);
  const levels = gridOf(points, from, to);
  const deviances = slopes.map(({ slope }) => levels.map((level) => devianceAt(level, slope)));
  const least = deviances.reduce((most, row) => row.reduce((a, b) => Math.min(a, b), most), Infinity);
  const spread = Math.max(1, (priorFreedom + least) / (priorFreedom + Math.max(0, points.length - 2)));
  const weights = levels.map((_, at) => {
    const wide = (levels[at + 1] ?? to) - (levels[at - 1] ?? from);
    const weightOf = (one = Infinity): number => (1 + (one - least) / spread / freedom) ** (-(freedom + 1) / 2);
    return wide * deviances.reduce((sum, row, index) => sum + (slopes[index]?.prior ?? 0) * weightOf(row[at]), 0);
  });
  let sum = 0;
  const total = weights.reduce((a, b) => a + b, 0);
  return { levels, chances: weights.map((weight) => (sum += weight) / total) };
}

/** Ascending; a cliff between neighbouring levels may be narrower than the steps of the whole range, so it has points of its own. */
function gridOf(points: readonly CrossingPoint[], from: number, to: number): Float64Array {
  const logs = points.map(({ level }) => Math.log(level)).sort((a, b) => a - b);
  const between = logs.flatMap((log, index) => evenly(logs[index - 1] ?? log, log, betweenPoints));
  const all = new Set([...evenly(from, to, gridPoints), ...between.filter((log) => log > from && log < to)]);
  return Float64Array.from(all).sort();
}

function evenly(from: number, to: number, points: number): readonly number[] {
  return Array.from({ length: points }, (_, index) => from + ((to - from) * index) / (points - 1));
}

type DevianceAt = (crossing: number, slope: number) => number;

function devianceOf(points: readonly CrossingPoint[], allowed: number, centre: number): DevianceAt {
  const bound = Math.log(allowed / (1 - allowed));
  const near = points.map(({ level, share, effective }) => {
    const log = Math.log(level);
    const weight = Math.max(log > centre ? overloadWeight : 0, 1 / (1 + ((log - centre) / nearLog) ** 4));
    return { log, share, weight: effective * weight };
  });
  return (crossing, slope) => {
    let sum = 0;
    for (const { log, share, weight } of near) sum += weight * deviance(share, bound + slope * (log - crossing));
    return sum;
  };
}

/** The deviance of this share from the one with these log-odds, for one request. */
function deviance(share: number, odds: number): number {
  // log(1 + e^x) without overflow: -log of the shares that miss and that do not.
  const [missed, met] = [softplus(-odds), softplus(odds)];
  const own = (share > 0 ? share * Math.log(share) : 0) + (share < 1 ? (1 - share) * Math.log(1 - share) : 0);
  return 2 * (own + share * missed + (1 - share) * met);
}

function softplus(value: number): number {
  return value > 0 ? value + Math.log1p(Math.exp(-value)) : Math.log1p(Math.exp(value));
}

const gridPoints = 97;
const betweenPoints = 7;
const refinements = 2;
/** A level this far from the crossing, about a quarter, weighs half. */
const nearLog = 0.25;
/** Far below, misses have other reasons than a queue; far above, a level that misses most shows that the crossing lies below it. */
const overloadWeight = 0.1;
/** So many trials that differ as chance has it are assumed. */
const priorFreedom = 2;

/**
 * By how much the log-odds rise with the logarithm of the level: from an error rate that hardly depends on the level to a limit that
 * refuses whatever is beyond it; mostly like a queue. Trials outweigh it.
 */
const slopes = Array.from({ length: 27 }, (_, index) => {
  const log = Math.log(1.5) + (index * Math.log(6000 / 1.5)) / 26;
  return { slope: Math.exp(log), prior: (1 + ((log - Math.log(12)) / 0.7) ** 2 / 3) ** -2 };
});
