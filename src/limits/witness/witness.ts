import type { GroupView } from "../history/group-view.ts";
import { roundingOf } from "../history/rounding.ts";
import type { LimitOp } from "../history/op.ts";
import { verifyWitness } from "../certificates/verify-witness.ts";
import { searchOrder, type SearchBounds, type Searched } from "./search-order.ts";
import type { LabelClock, Witness, WitnessOp, WitnessSetup } from "../certificates/witness-form.ts";

/** Whether the history has a witness of the family. */
export function findWitness(family: string, view: GroupView, ops: readonly LimitOp[], before: 0 | 1): boolean {
  return searchWitness(family, view, ops, before) !== null;
}

/**
 * An order of decisions in which a limiter of the family reproduces every status, every remaining and, to the second, every reset:
 * searched among settings that the readings suggest, and run again by `verifyWitness` before it is claimed. null: none was found,
 * which says nothing against the limiter. Requests whose effect nobody knows (unanswered, other errors) leave no witness.
 */
export function searchWitness(family: string, view: GroupView, ops: readonly LimitOp[], before: 0 | 1): Witness | null {
  const answers = readAnswers(view, ops);
  if (answers === null) return null;
  const slackMs = labelSlackMs(answers, view.tolerances.driftRatio);
  const clock = { slackMs, ...clockBounds(view) };
  // A family of loose bounds may survive with either meaning of remaining.
  const meanings = [before, before === 0 ? 1 : 0] as const;
  const setups = meanings.flatMap((meaning) => setupsOf(family, view, answers, meaning));
  const claim = (setup: WitnessSetup, bounds: SearchBounds): Searched => {
    const searched = searchOrder(setup, answers, clock, bounds);
    const proven = searched.witness !== null && verifyWitness(searched.witness, answers, clock) === null;
    return proven ? searched : { ...searched, witness: null };
  };
  const tried: { readonly setup: WitnessSetup; readonly reached: number }[] = [];
  for (const setup of setups) {
    const { witness, reached } = claim(setup, { deadEnds: 8, share: 0 });
    if (witness !== null) return witness;
    tried.push({ setup, reached });
  }
  // The settings that went farthest are worth a longer look: what is decided early or late within a request stays so.
  const far = tried.filter(({ reached }) => reached > answers.length / 4);
  const promising = far.sort((a, b) => b.reached - a.reached).slice(0, 2);
  for (const { setup } of promising) {
    for (const share of [0, 0.5, 1]) {
      const { witness } = claim(setup, { deadEnds: 150, share });
      if (witness !== null) return witness;
    }
  }
  return null;
}

/** null when some request cannot be reproduced at all. */
function readAnswers(view: GroupView, ops: readonly LimitOp[]): readonly WitnessOp[] | null {
  if (view.limit === null || ops.length < view.ops.length) return null;
  const answers: WitnessOp[] = [];
  const disguised = new Set(view.disguised);
  const all = [...ops, ...view.disguised].sort((a, b) => a.sentMs - b.sentMs || a.seq - b.seq);
  for (const op of all) {
    const { limit, remaining, resetMs } = op.requests;
    // Not found, or no longer this endpoint: it need not be counted here, and what it reads may be the counter of unknown routes.
    if (op.outcome === "other" && disguised.has(op)) continue;
    if ((op.outcome !== "admitted" && op.outcome !== "rejected") || limit !== view.limit) return null;
    if (remaining === null || resetMs === null) return null;
    const { seq, sentMs, headersMs } = op;
    answers.push({ seq, sentMs, headersMs, admitted: op.outcome === "admitted", remaining, resetMs });
  }
  return answers;
}

/** The instant of a decision is chosen within its request, and clocks drift: labels that follow it move by as much. */
function labelSlackMs(answers: readonly WitnessOp[], driftRatio: number): number {
  let widestMs = 0;
  for (const op of answers) widestMs = Math.max(widestMs, op.headersMs - op.sentMs);
  const spanMs = (answers.at(-1)?.headersMs ?? 0) - (answers[0]?.sentMs ?? 0);
  return Math.min(1000, widestMs) + driftRatio * spanMs;
}

/** The range by which the clock of the service may be ahead of the run clock, according to its Date headers. */
function clockBounds({ offset, tolerances }: GroupView): Omit<LabelClock, "slackMs"> {
  if (offset === null || offset.split) return { lowMs: Number.NEGATIVE_INFINITY, highMs: Number.POSITIVE_INFINITY };
  return { lowMs: offset.lowMs - tolerances.clockMs, highMs: offset.highMs + tolerances.clockMs };
}

/** Phases of a batch that are searched one after the other. */
const batchCells = 6;

function setupsOf(family: string, view: GroupView, answers: readonly WitnessOp[], before: 0 | 1): readonly WitnessSetup[] {
  const limit = view.limit!;
  const { windowMs } = view.tolerances;
  const everything = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY] as const;
  const first = answers[0];
  if (first === undefined) return [];
  const base: WitnessSetup = {
    family,
    limit,
    windowMs,
    before,
    rounding: roundingOf(view.admitted, limit),
    countsRejects: false,
    weigh: "floor",
    phaseMs: first.resetMs % windowMs,
    wholeSeconds: false,
    label: 0,
    capacity: limit,
    startLevel: limit,
    batchMs: 0,
    hidden: everything,
  };
  const rejects = answers.some((op) => !op.admitted) ? [false, true] : [false];
  switch (family) {
    case "fixed-window":
      return [base];
    case "fixed-from-first":
      return [base, { ...base, wholeSeconds: true }];
    case "sliding-log":
      return rejects.flatMap((countsRejects) => ([0, 1, 2] as const).map((label) => ({ ...base, countsRejects, label })));
    case "sliding-counter":
      return rejects.flatMap((countsRejects) => (["floor", "ceil"] as const).map((weigh) => ({ ...base, countsRejects, weigh })));
    case "token-bucket":
      return levelsOf(answers, base).flatMap((levels) => ([0, 1] as const).map((label) => ({ ...base, ...levels, label })));
    case "batch-refill":
      return levelsOf(answers, base).flatMap((levels) =>
        batchesOf(windowMs, answers).flatMap((batchMs) =>
          Array.from({ length: 2 * batchCells }, (_, index) => {
            const cell = index >> 1;
            const hidden = [(cell * batchMs) / batchCells, ((cell + 1) * batchMs) / batchCells] as const;
            return { ...base, ...levels, batchMs, hidden, label: index % 2 === 0 ? (0 as const) : (1 as const) };
          }),
        ),
      );
    default:
      return [];
  }
}

/** Capacity and first level: the whole limit; as much as was ever seen; or the limit, begun with what the first answers saw. */
function levelsOf(
  answers: readonly WitnessOp[],
  { limit, before, rounding }: WitnessSetup,
): readonly Pick<WitnessSetup, "capacity" | "startLevel">[] {
  const held = (ops: readonly WitnessOp[]): number =>
    ops.reduce((most, op) => (op.admitted ? Math.max(most, op.remaining + 1 - before) : most), 0);
  const firstMs = answers.reduce((least, op) => Math.min(least, op.headersMs), Number.POSITIVE_INFINITY);
  const seen = held(answers);
  const begun = held(answers.filter((op) => op.sentMs <= firstMs));
  const levels = [{ capacity: limit, startLevel: limit }];
  if (rounding === 1 && seen < limit) levels.push({ capacity: seen, startLevel: seen });
  if (rounding === 1 && begun < limit) levels.push({ capacity: limit, startLevel: begun });
  return levels;
}

/** Steps in which buckets are commonly refilled, ms, as far as every label can be the instant of a refill. */
function batchesOf(windowMs: number, answers: readonly WitnessOp[]): readonly number[] {
  const first = answers[0]!.resetMs;
  const fits = (ms: number): boolean => ms % 1000 !== 0 || answers.every((op) => (op.resetMs - first) % ms === 0);
  return [...new Set([1000, 5000, 10_000, windowMs / 60, windowMs / 12, windowMs / 6])].filter(
    (ms) => ms <= windowMs && fits(ms),
  );
}
