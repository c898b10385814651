import { drawGamma } from "../workload/draw-gamma.ts";
import { createRandom, type Random } from "../../core/random.ts";
import type { CapacityTrial } from "./capacity-trial.ts";
import { type IsotonicBlock, type IsotonicPoint, isotonicBlocks } from "./isotonic-blocks.ts";
import { type LevelCounts, levelCounts } from "./level-counts.ts";
import { levelTimes } from "./level-times.ts";

/** The level up to which every criterion holds, with its 95 % interval. */
export interface CapacityFit {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** Place of the criterion that is missed first. */
  readonly limitedBy: number;
  /** The trials show no level that holds, or none that does not. */
  readonly side: "between" | "below" | "above";
  /** So many successive requests at the knee say as much as one. */
  readonly time: number;
  /** The smoothed share of requests that miss that criterion, by level. */
  readonly curve: readonly IsotonicBlock[];
}

/** Resamples of an interval. */
const resamples = 400;

/**
 * The share of requests that miss a criterion rises with the level: isotonic regression over all trials, and the level at which it
 * crosses the allowed share, on straight lines of log-odds between the pooled points. The interval comes from redrawing the share at
 * each level (Jeffreys) by as many requests as are independent.
 */
export function fitCapacity(trials: readonly CapacityTrial[]): CapacityFit {
  // Equal trials give equal fits, in every worker and again from the record.
  const random = createRandom(trials.length);
  const curves = (trials[0]?.counts ?? []).map(({ allowed }, criterion) => fitCriterion(trials, criterion, allowed));
  const found = curves.map(({ crossing }) => crossing);
  const value = Math.min(...found.map(({ level }) => level));
  const limitedBy = found.findIndex(({ level }) => level === value);
  const drawn = Array.from({ length: resamples }, () =>
    Math.min(...curves.map(({ points, allowed }) => findCrossing(redraw(points, random), allowed).level)),
  ).sort((a, b) => a - b);
  const at = (part: number): number => drawn[Math.round(part * (resamples - 1))] ?? value;
  const limiting = curves[limitedBy];
  return {
    value,
    low: Math.min(value, at(0.025)),
    high: Math.max(value, at(0.975)),
    limitedBy,
    side: found[limitedBy]?.side ?? "between",
    time: Math.max(1, ...curves.map(({ time }) => time)),
    curve: limiting?.blocks ?? [],
  };
}

/** Trials at one level, and how many independent requests those are worth. */
interface Point extends IsotonicPoint {
  readonly effective: number;
}

interface Criterion {
  readonly allowed: number;
  readonly points: readonly Point[];
  readonly blocks: readonly IsotonicBlock[];
  readonly crossing: Crossing;
  readonly time: number;
}

function fitCriterion(trials: readonly CapacityTrial[], criterion: number, allowed: number): Criterion {
  const levels = levelCounts(trials, criterion);
  const pointOf = ({ level, missed, counted }: LevelCounts): IsotonicPoint => ({
    level,
    share: missed / counted,
    weight: counted,
  });
  const blocks = isotonicBlocks(levels.map(pointOf));
  const crossing = findCrossing(blocks, allowed);
  const { atKnee, timeOf } = levelTimes(levels, crossing.level);
  const points = levels.map((level) => ({ ...pointOf(level), effective: level.counted / timeOf(level) }));
  return { allowed, points, blocks, crossing, time: atKnee };
}

interface Crossing {
  readonly level: number;
  readonly side: CapacityFit["side"];
}

function findCrossing(blocks: readonly IsotonicBlock[], allowed: number): Crossing {
  const above = blocks.findIndex(({ share }) => share > allowed);
  const next = blocks[above];
  const before = above === -1 ? blocks.at(-1) : blocks[above - 1];
  if (next === undefined) return { level: before?.to ?? 0, side: "above" };
  if (before === undefined) return { level: next.from, side: "below" };
  const [from, to, bound] = [logOdds(before), logOdds(next), Math.log(allowed / (1 - allowed))];
  const part = Math.min(1, Math.max(0, (bound - from) / Math.max(1e-9, to - from)));
  // Levels far from the bound are pooled by noise that has nothing to do with it: the nearest of them counts.
  const low = before.share < allowed / farTimes ? before.to : before.centre;
  const high = next.share > Math.min(1 - 1e-9, farTimes * allowed) ? next.from : next.centre;
  return { level: low * (high / low) ** part, side: "between" };
}

/** A share this many times below or above the allowed one is far from it. */
const farTimes = 3;

/** Of a share of none or all half a request is added to each side: it is not known that sharply. */
function logOdds({ share, weight }: IsotonicBlock): number {
  const smoothed = (share * weight + 0.5) / (weight + 1);
  return Math.log(smoothed / (1 - smoothed));
}

function redraw(points: readonly Point[], random: Random): readonly IsotonicBlock[] {
  return isotonicBlocks(
    points.map(({ effective, ...point }) => ({ ...point, share: drawShare(point.share, effective, random) })),
  );
}

function drawShare(share: number, effective: number, random: Random): number {
  const one = drawGamma(share * effective + 0.5, random);
  const other = drawGamma((1 - share) * effective + 0.5, random);
  return one / (one + other);
}
