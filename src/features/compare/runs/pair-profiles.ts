import { groupBy } from "../../../core/group-by.ts";
import type { LoadProfileResult } from "../../../core/result/load-result.ts";
import type { Result } from "../../../core/result/result.ts";
import type { ProfilePair } from "./compare-profiles.ts";

/** Profiles of two runs. */
export interface Pairs {
  readonly both: readonly ProfilePair[];
  readonly single: readonly string[];
}

/**
 * Profiles by id, and those without a partner of their id by their content: a load that was given by flags is the same as the file
 * that holds it. Several results of one id are its rounds.
 */
export function pairProfiles(base: Result, next: Result): Pairs {
  const group = (result: Result): ReadonlyMap<string, readonly LoadProfileResult[]> =>
    groupBy(result.load?.profiles ?? [], ({ id }) => id);
  const [left, right] = [group(base), group(next)];
  const partners = new Map(
    [...left].flatMap(([id, rounds]) => findPartner(id, rounds, left, right).map((other) => [id, other] as const)),
  );
  const both: ProfilePair[] = [];
  for (const [id, base] of left) {
    const next = right.get(partners.get(id) ?? "");
    if (next !== undefined) both.push({ id, base, next });
  }
  const taken = new Set(partners.values());
  const single = [...[...left.keys()].filter((id) => !partners.has(id)), ...[...right.keys()].filter((id) => !taken.has(id))];
  return { both, single };
}

type Rounds = ReadonlyMap<string, readonly LoadProfileResult[]>;

/** Of the same id; else the first of the same content that has no partner of its own id. */
function findPartner(id: string, rounds: readonly LoadProfileResult[], left: Rounds, right: Rounds): readonly string[] {
  if (right.has(id)) return [id];
  const digest = rounds[0]?.content?.digest;
  if (digest === undefined) return [];
  const isSame = (all: Rounds, other: string): boolean => all.get(other)?.[0]?.content?.digest === digest;
  const alone = [...right.keys()].filter((other) => !left.has(other) && isSame(right, other));
  const before = [...left.keys()].filter((other) => !right.has(other) && isSame(left, other));
  return alone.slice(before.indexOf(id), before.indexOf(id) + 1);
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
