import type { LevelCounts } from "./level-counts.ts";

export interface LevelTimes {
  readonly atKnee: number;
  /** Trials that say so. */
  readonly trials: number;
  readonly timeOf: (level: LevelCounts) => number;
}

/**
 * So many successive requests of a level say as much as one. At the knee it is what the levels beside it show together: a trial that
 * met few misses looks less dependent than one that met a cluster of them, and would weigh more if each was weighed by itself. Far
 * above, a queue grows for a whole trial and shows the longest times, and far below hardly any request waits for another: neither says
 * anything of the knee, nor the knee of them.
 */
export function levelTimes(levels: readonly LevelCounts[], knee: number): LevelTimes {
  const near = nearest(levels, knee);
  const atKnee = meanTime(near);
  const trials = near.reduce((sum, { counts }) => sum + counts.length, 0);
  return { atKnee, trials, timeOf: (level) => Math.max(meanTime([level]), atKnee ** nearness(level.level, knee)) };
}

/** 1 at the knee and above it, 0 at half of it and below: the memory of a queue grows like a power of its load. */
function nearness(level: number, knee: number): number {
  return Math.min(1, Math.max(0, 1 - Math.log2(knee / level)));
}

/** Levels within half an octave of the knee that do not miss most; where none of them has a miss, the lowest level that has some. */
function nearest(levels: readonly LevelCounts[], knee: number): readonly LevelCounts[] {
  const withMisses = levels.filter(({ missed }) => missed > 0).toSorted((a, b) => a.level - b.level);
  const near = withMisses.filter(
    ({ level, missed, counted }) => Math.abs(Math.log2(level / knee)) <= 0.5 && missed <= counted / 2,
  );
  return near.length > 0 ? near : withMisses.slice(0, 1);
}

/** By misses, over all trials; a trial that missed nearly all of them says little. */
function meanTime(levels: readonly LevelCounts[]): number {
  let [times, weights] = [0, 0];
  for (const { missed, counted, effective } of levels.flatMap(({ counts }) => counts)) {
    const weight = missed * (1 - missed / counted);
    times += (weight * counted) / Math.max(1e-9, effective);
    weights += weight;
  }
  return weights === 0 ? 1 : times / weights;
}
