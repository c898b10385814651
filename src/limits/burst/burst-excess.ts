import type { LimitOp } from "../history/op.ts";
import type { BurstRound, BurstTerms } from "./burst-rounds.ts";
import { leastHeldMs } from "./held-ms.ts";

/** More served than the allowance before the cooldown can have been over. */
export interface BurstExcess {
  readonly early: readonly LimitOp[];
  /** The most that an allowance that refills may have granted while it was being used. */
  readonly refill: number;
  /** Earliest instant at which the allowance can have been used up, and at which a cooldown from then on can be over. */
  readonly earliestMs: number;
  readonly untilMs: number;
}

/** A span of the run clock in which a new minute may have begun. */
export interface BoundarySpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** null: not more than the allowance and its refill was certainly served too early. */
export function findExcess(ops: readonly LimitOp[], latestMs: number | null, terms: BurstTerms): BurstExcess | null {
  const { burst, cooldownMs, tolerances } = terms;
  const first = ops[0];
  // A request that was never answered may have been served as well.
  const last = ops.filter((op) => op.outcome === "admitted" || op.outcome === "maybe")[burst - 1];
  if (!first || !last) return null;
  // A clock of whole seconds ends a cooldown up to a second early.
  const coarseMs = Math.max(tolerances.granularityMs, tolerances.virtualLagMs);
  const untilMs = last.sentMs + cooldownMs * (1 - tolerances.driftRatio) - 100 - tolerances.fuzzMs - coarseMs;
  const early = ops.filter((op) => op.outcome === "admitted" && op.headersMs < untilMs);
  const usedMs = Math.max(last.sentMs, latestMs ?? 0) - first.sentMs;
  const refill = Math.floor((burst / tolerances.windowMs) * usedMs * (1 + tolerances.rateRatio));
  return early.length > burst + refill ? { early, refill, earliestMs: last.sentMs, untilMs } : null;
}

/**
 * Served after a refusal, or let out of the queue, before the cooldown can have been over: it had begun when the first was
 * refused, and cannot have begun before the last request of an allowance was sent, wherever minutes begin.
 */
export function servedInCooldown(round: BurstRound, terms: BurstTerms): readonly LimitOp[] {
  const excess = findExcess(round.ops, round.latestMs, terms);
  const { latestMs } = round;
  const isHeld = (op: LimitOp): boolean => leastHeldMs(op) > terms.cooldownMs / 4;
  const wasStopped = round.ops.some((op) => isRefusedByBurst(op) || (op.outcome === "admitted" && isHeld(op)));
  if (excess === null || latestMs === null || !wasStopped) return [];
  return excess.early.filter((op) => op.sentMs >= latestMs || isHeld(op));
}

function isRefusedByBurst({ outcome, cause }: LimitOp): boolean {
  return outcome === "rejected" && cause !== "requests" && cause !== "tokens";
}

/**
 * A minute of the clock that began while the allowance was being used grants it twice: the instants of the round at which
 * that would explain what was served.
 */
export function findExcusingBoundaries(round: BurstRound, terms: BurstTerms): readonly BoundarySpan[] {
  const served = round.ops.filter((op) => op.outcome === "admitted" || op.outcome === "maybe");
  const instants = [...new Set(served.flatMap((op) => [op.sentMs, op.headersMs]))].filter(Number.isFinite).sort((a, b) => a - b);
  const spans: BoundarySpan[] = [];
  instants.slice(1).forEach((toMs, index) => {
    const fromMs = instants[index]!;
    const atMs = (fromMs + toMs) / 2;
    const before = served.filter((op) => op.headersMs <= atMs && op.outcome === "admitted").length;
    if (before > terms.burst) return;
    // Requests under way at that instant fall on whichever side has room for them.
    let room = terms.burst - before;
    const after = round.ops.filter((op) => {
      if (op.headersMs <= atMs) return false;
      if (op.sentMs >= atMs || op.outcome !== "admitted" || room === 0) return true;
      room -= 1;
      return false;
    });
    if (findExcess(after, round.latestMs, terms) === null) spans.push({ fromMs, toMs });
  });
  return spans;
}

/** Whether one alignment of minutes excuses every round: the spans have an instant in common, whole minutes aside. */
export function haveCommonAlignment(rounds: readonly (readonly BoundarySpan[])[], terms: BurstTerms): boolean {
  const { windowMs, driftRatio, fuzzMs, virtualLagMs } = terms.tolerances;
  const meets = (one: BoundarySpan, other: BoundarySpan): boolean => {
    const slackMs = fuzzMs + virtualLagMs + driftRatio * Math.abs(one.fromMs - other.fromMs);
    const lowMs = other.fromMs - one.toMs - slackMs;
    const highMs = other.toMs - one.fromMs + slackMs;
    return Math.ceil(lowMs / windowMs) <= Math.floor(highMs / windowMs);
  };
  const [first, ...others] = rounds;
  return (first ?? []).some((span) => others.every((spans) => spans.some((other) => meets(span, other))));
}
