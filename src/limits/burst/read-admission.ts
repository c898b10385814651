import {
  type BoundarySpan,
  type BurstExcess,
  findExcess,
  findExcusingBoundaries,
  haveCommonAlignment,
  servedInCooldown,
} from "./burst-excess.ts";
import type { BurstRound, BurstTerms } from "./burst-rounds.ts";

/**
 * The allowance, as rounds show it. `within`: nothing was served too early, but for what a minute of the clock explains that began
 * during `excused`. `open`: such a minute would explain what was served in rounds of these kinds, and nothing speaks against it or for
 * it. `over`: nothing lawful explains it.
 */
export type Admission =
  | { readonly kind: "unused" }
  | { readonly kind: "within"; readonly excused: BurstExcess | null }
  | ({ readonly kind: "open"; readonly kinds: ReadonlySet<BurstRound["kind"]> } & RoundExcess)
  | ({ readonly kind: "over" } & RoundExcess);

interface RoundExcess {
  readonly round: BurstRound;
  readonly excess: BurstExcess;
  /** Rounds in which more was served than the allowance. */
  readonly rounds: number;
}

/** The judge and the exam ask the same: the exam repeats nothing that the judge has proof of. */
export function readAdmission(rounds: readonly BurstRound[], terms: BurstTerms): Admission {
  const whole = rounds.filter(({ usedFromMs }) => usedFromMs === null);
  if (whole.every((round) => round.earliestMs === null)) return { kind: "unused" };
  const over = whole.flatMap((round) => {
    const excess = findExcess(round.ops, round.latestMs, terms);
    if (excess === null) return [];
    const isCertain = servedInCooldown(round, terms).length > 0;
    return [{ excess, round, boundaries: isCertain ? [] : findExcusingBoundaries(round, terms) }];
  });
  const proven = over.find(({ boundaries }) => boundaries.length === 0) ?? over.at(-1);
  if (!proven) return { kind: "within", excused: null };
  const { excess, round } = proven;
  const isExcused = haveCommonAlignment(
    over.map(({ boundaries }) => boundaries),
    terms,
  );
  if (!isExcused) return { kind: "over", excess, round, rounds: over.length };
  const kinds = new Set(over.filter((one) => !isExplainedByMinute(one, rounds, terms)).map((one) => one.round.kind));
  return kinds.size === 0 ? { kind: "within", excused: excess } : { kind: "open", kinds, excess, round, rounds: over.length };
}

/**
 * Requests one after the other are served too many by a rule, not by a race: that rule serves as many to the same requests at any instant
 * of the minute. If they used up the allowance at another one, and no more than it, the minute of the clock alone explains them. A
 * volley shows less: it has no pause and asks one endpoint only.
 */
function isExplainedByMinute(
  { round, boundaries }: { readonly round: BurstRound; readonly boundaries: readonly BoundarySpan[] },
  rounds: readonly BurstRound[],
  terms: BurstTerms,
): boolean {
  if (round.kind !== "sequential") return false;
  return rounds.some((other) => {
    const [first] = other.ops;
    if (other.kind !== "sequential" || first === undefined || other.earliestMs === null || other.latestMs === null) return false;
    if (findExcess(other.ops, other.latestMs, terms) !== null || other.admitted.length >= other.ops.length) return false;
    const used = [{ fromMs: first.sentMs, toMs: Math.max(other.earliestMs, other.latestMs) }];
    return !haveCommonAlignment([boundaries, used], terms);
  });
}
