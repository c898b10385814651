import { groupBy } from "../../../core/group-by.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { Result } from "../../../core/result/result.ts";
import type { ProfilePair } from "./compare-profiles.ts";

/** Profiles of two runs. */
export interface Pairs {
  readonly both: readonly ProfilePair[];
  readonly single: readonly string[];
}

/** Profiles by id; several results of one id are its rounds. */
export function pairProfiles(base: Result, next: Result): Pairs {
  const group = (result: Result): ReadonlyMap<string, readonly LoadProfileResult[]> =>
    groupBy(result.load?.profiles ?? [], ({ id }) => id);
  const [left, right] = [group(base), group(next)];
  const both: ProfilePair[] = [];
  const single: string[] = [];
  for (const id of new Set([...left.keys(), ...right.keys()])) {
    const [baseRounds, nextRounds] = [left.get(id), right.get(id)];
    if (baseRounds === undefined || nextRounds === undefined) single.push(id);
    else both.push({ id, base: baseRounds, next: nextRounds });
  }
  return { both, single };
}

/** The pairs of an interleaved run that remain, and those that were left out. */
export interface RemainingPairs {
  readonly pairs: Pairs;
  readonly reasons: readonly string[];
}

/**
 * Leaves out rounds in which the generator was late on one side, with their partner. One round of several is a hiccup of this
 * machine; most rounds, or one that ended early, may be the doing of a target: then the profile stays as it is, not valid.
 */
export function leaveOutLateRounds({ both, single }: Pairs): RemainingPairs {
  const reasons: string[] = [];
  const kept = both.map((pair) => {
    const late = pair.base.map((base, round) =>
      [base, pair.next[round]].find((side) => side?.validity.generatorLimited === true),
    );
    const left = late.filter((side) => side === undefined).length;
    if (pair.base.length !== pair.next.length || left === late.length || left < Math.max(2, late.length / 2)) return pair;
    for (const [round, side] of late.entries()) {
      if (side !== undefined) reasons.push(`${pair.id}: round ${round + 1} is left out: ${side.validity.reasons.join("; ")}`);
    }
    const timely = <Side>(sides: readonly Side[]): readonly Side[] => sides.filter((_, round) => late[round] === undefined);
    return { ...pair, base: timely(pair.base), next: timely(pair.next) };
  });
  return { pairs: { both: kept, single }, reasons };
}
