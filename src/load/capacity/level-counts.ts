import type { StepMisses } from "../../core/result/load-result.ts";
import { groupBy } from "../../core/group-by.ts";
import type { CapacityTrial } from "./capacity-trial.ts";

/** All trials of one level, by one criterion. */
export interface LevelCounts {
  readonly level: number;
  readonly counts: readonly StepMisses[];
  readonly missed: number;
  readonly counted: number;
}

/** The trials of a level together, by their requests; a level that counted none is left out. */
export function levelCounts(trials: readonly CapacityTrial[], criterion: number): readonly LevelCounts[] {
  return [...groupBy(trials, ({ level }) => level)]
    .map(([level, group]) => {
      const counts = group.flatMap(({ counts: all }) => all[criterion] ?? []);
      const sum = (of: (count: StepMisses) => number): number => counts.reduce((total, count) => total + of(count), 0);
      return { level, counts, missed: sum(({ missed }) => missed), counted: sum(({ counted }) => counted) };
    })
    .filter(({ counted }) => counted > 0);
}
