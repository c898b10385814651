import type { LimitPhases } from "../../core/exchange/limit-phase.ts";
import type { RoundPhase, RoundSuffix } from "../../core/exchange/round-phase.ts";
import { answeredFromMs, type LimitOp, type OpOf } from "../history/op.ts";
import type { Tolerances } from "../history/tolerances.ts";
import { heldMs, leastHeldMs } from "./held-ms.ts";

/** The terms that the rounds of a key are read by. */
export interface BurstTerms {
  readonly burst: number;
  readonly cooldownMs: number;
  readonly tolerances: Tolerances;
}

/** One use of the allowance: the requests of a round, over all endpoints of the key. */
export interface BurstRound extends RoundOps {
  /** The cooldown had begun by then: receipt of the first refusal, or of the last admitted answer of the allowance. */
  readonly latestMs: number | null;
  /** Requests that a queue let out before this round may have used its allowance: from this instant on. null: none did. */
  readonly usedFromMs: number | null;
}

/** The rounds of a key, from its requests in the order in which they were sent. */
export function burstRounds(ops: readonly OpOf<"burst">[], terms: BurstTerms): readonly BurstRound[] {
  const { windowMs } = terms.tolerances;
  const phases = (suffix: RoundSuffix, ...names: RoundPhase[]): readonly LimitOp[] => {
    const wanted: ReadonlySet<LimitPhases["burst"]> = new Set(names.map((name) => `${name}${suffix}` as const));
    return ops.filter((op) => wanted.has(op.phase));
  };
  // The request that found the cooldown over used the first of the next allowance, where the burst followed at once.
  const before = ([first]: readonly LimitOp[], withinMs: number, found: readonly LimitOp[]): readonly LimitOp[] =>
    found.filter((op) => {
      const isBefore = first !== undefined && op.sentMs <= first.sentMs && first.sentMs - op.headersMs < withinMs;
      return op.outcome === "admitted" && isBefore;
    });
  const volley = (suffix: RoundSuffix): readonly LimitOp[] => [
    ...before(phases(suffix, "volley"), windowMs, [
      ...phases("", "resume-hinted", "resume"),
      ...phases("-again", "resume-hinted", "resume"),
    ]),
    ...phases(suffix, "volley", "cooldown", "after"),
  ];
  const second = (suffix: RoundSuffix): readonly LimitOp[] => {
    const own = phases(suffix, "second");
    const [first] = own;
    const atOnce = phases(suffix, "after").filter((op) => first !== undefined && first.sentMs - op.sentMs < windowMs / 4);
    return [...before(own, windowMs, atOnce), ...own];
  };
  const sequential = (suffix: RoundSuffix): readonly LimitOp[] => [
    ...before(phases(suffix, "sequential"), windowMs / 4, phases("", "after")),
    ...phases(suffix, "sequential", "quiet-hinted", "quiet-after", "resume-hinted", "resume"),
  ];
  const pair = (first: RoundSuffix, again: RoundSuffix): readonly BurstRound[] => [
    ...[volley(first), second(first), second(again)].map((round) => roundOf("volley", round, terms)),
    afterQueue(roundOf("volley", volley(again), terms), phases(first, "volley"), terms),
  ];
  return [
    ...pair("", "-again"),
    ...pair("-calm", "-calm-again"),
    ...[sequential(""), sequential("-again")].map((round) => roundOf("sequential", round, terms)),
  ].filter((round) => round.ops.length > 0);
}

/** A round that follows at once on what a queue lets out begins with an allowance of which nobody knows how much is left. */
function afterQueue(round: BurstRound, before: readonly LimitOp[], { cooldownMs, tolerances }: BurstTerms): BurstRound {
  const fromMs = Math.min(...round.ops.map(({ sentMs }) => sentMs));
  const out = before.filter(
    (op) =>
      op.outcome === "admitted" &&
      heldMs(op) > cooldownMs / 4 &&
      op.headersMs < fromMs &&
      op.headersMs > fromMs - tolerances.windowMs,
  );
  const usedFromMs = out.length === 0 ? null : Math.min(...out.map(answeredFromMs));
  return usedFromMs === null ? round : { ...round, usedFromMs, earliestMs: usedFromMs - tolerances.granularityMs };
}

function roundOf(kind: BurstRound["kind"], ops: readonly LimitOp[], { burst, cooldownMs }: BurstTerms): BurstRound {
  const { round, refusalMs } = readRound(kind, ops, burst);
  const answers = round.admitted.map((op) => op.headersMs).sort((a, b) => a - b);
  const full = answers[burst - 1];
  // If requests are held, the cooldown had begun soon after the first of them arrived.
  const held = round.admitted.filter((op) => leastHeldMs(op) > cooldownMs / 4);
  const beganMs = held.length > 0 ? Math.min(...held.map((op) => op.sentMs)) : (full ?? null);
  return { ...round, latestMs: refusalMs ?? (beganMs === null ? null : beganMs + 3000), usedFromMs: null };
}

/** One use of a burst allowance, as its requests say it. */
export interface RoundOps {
  readonly kind: "volley" | "sequential";
  readonly ops: readonly LimitOp[];
  readonly admitted: readonly LimitOp[];
  readonly rejected: readonly LimitOp[];
  /** Earliest instant at which the allowance can have been used up: the send instant of its last request. */
  readonly earliestMs: number | null;
}

/** `refusalMs`: receipt of the first refusal, null when nothing was refused. */
export function readRound(
  kind: RoundOps["kind"],
  ops: readonly LimitOp[],
  burst: number,
): { readonly round: RoundOps; readonly refusalMs: number | null } {
  const admitted = ops.filter((op) => op.outcome === "admitted");
  const rejected = ops.filter((op) => op.outcome === "rejected");
  // A request that was never answered may have been served as well.
  const last = ops.filter((op) => op.outcome === "admitted" || op.outcome === "maybe")[burst - 1];
  const refusalMs = rejected.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  return {
    round: { kind, ops, admitted, rejected, earliestMs: last?.sentMs ?? null },
    refusalMs: Number.isFinite(refusalMs) ? refusalMs : null,
  };
}
