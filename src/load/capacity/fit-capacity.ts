import type { CapacityTrial } from "./capacity-trial.ts";
import { chanceAt, type Crossing as Posterior, crossingPosterior, levelAt } from "./crossing-posterior.ts";
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

/**
 * The share of requests that miss a criterion rises with the level. Isotonic regression over all trials says whether it crosses the
 * allowed share between them; then a line of log-odds over the levels near that crossing says where, and how sure that is, with every
 * level worth as many requests as are independent. Several criteria are together at the lowest of their crossings.
 */
export function fitCapacity(trials: readonly CapacityTrial[]): CapacityFit {
  const criteria = (trials[0]?.counts ?? []).map(({ allowed }, criterion) => fitCriterion(trials, criterion, allowed));
  // One that counted nothing says nothing.
  const curves = criteria.filter(({ blocks }) => blocks.length > 0);
  const first = Math.min(...curves.map(({ crossing }) => crossing.level));
  const limiting = curves.find(({ crossing }) => crossing.level === first);
  const limitedBy = limiting === undefined ? -1 : criteria.indexOf(limiting);
  const side = limiting?.crossing.side ?? "between";
  const lowest = lowestOf(curves.map(({ posterior }) => posterior));
  const at = (chance: number): number => Math.exp(levelAt(lowest, chance));
  const value = side === "between" ? at(0.5) : first;
  const tried = trials.map(({ level }) => level);
  const nearest = (levels: readonly number[]): number =>
    levels.reduce((one, level) => (one === value || Math.abs(level - value) < Math.abs(one - value) ? level : one), value);
  return {
    value,
    // Between two neighbouring levels nothing was seen of a cliff.
    low: Math.min(value, at(0.025), nearest(tried.filter((level) => level <= value))),
    high: Math.max(value, at(0.975), nearest(tried.filter((level) => level >= value))),
    limitedBy,
    side,
    time: Math.max(1, ...curves.map(({ time }) => time)),
    curve: limiting?.blocks ?? [],
  };
}

const nowhere: Posterior = { levels: new Float64Array(), chances: new Float64Array() };

/** The lowest of several crossings, as if none had to do with another. */
function lowestOf(crossings: readonly Posterior[]): Posterior {
  const [first] = crossings;
  if (first === undefined || crossings.length === 1) return first ?? nowhere;
  const levels = Float64Array.from(crossings.flatMap((crossing) => [...crossing.levels])).sort();
  return { levels, chances: levels.map((level) => 1 - crossings.reduce((none, one) => none * (1 - chanceAt(one, level)), 1)) };
}

interface Criterion {
  readonly allowed: number;
  readonly blocks: readonly IsotonicBlock[];
  readonly crossing: Crossing;
  readonly posterior: Posterior;
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
  if (blocks.length === 0) return { allowed, blocks, crossing, posterior: nowhere, time: 1 };
  const { atKnee, timeOf, trials: near } = levelTimes(levels, crossing.level);
  const points = levels.map((level) => ({ ...pointOf(level), effective: level.counted / timeOf(level) }));
  const posterior = crossingPosterior(points, allowed, { start: crossing.level, freedom: freedomOfTrial * Math.max(1, near) });
  return { allowed, blocks, crossing, posterior, time: atKnee };
}

/** A trial says how dependent its requests are about as sharply as so many replicates of it would. */
const freedomOfTrial = 5;

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
