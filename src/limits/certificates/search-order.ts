import { stepModel, type StepState } from "./step-models.ts";
import type { LabelClock, Witness, WitnessOp, WitnessSetup } from "./witness-form.ts";

/** One decision of a partial order, with what else could have been decided instead. */
interface Choice {
  readonly index: number;
  readonly atMs: number;
  readonly state: StepState;
}

/** Alternatives that are kept per decision. */
const breadth = 4;

/** How far a search may go. */
export interface SearchBounds {
  /** Dead ends after which it gives up. */
  readonly deadEnds: number;
  /** Where in the span that is left to a decision it is tried first: 0 at its beginning, 1 at its end. */
  readonly share: number;
}

export interface Searched {
  readonly witness: Witness | null;
  /** Most decisions that were made without a contradiction. */
  readonly reached: number;
}

/**
 * Looks for an order of decisions in which a limiter gives every request its own answer: forward in time, always among the requests
 * under way, the one of the earliest label first, of equal labels the one that must be answered first; a dead end goes back to the
 * latest alternative. Bounded, so that a failure says nothing.
 */
export function searchOrder(setup: WitnessSetup, ops: readonly WitnessOp[], clock: LabelClock, bounds: SearchBounds): Searched {
  const { share } = bounds;
  const step = stepModel(setup, clock);
  const [low, high] = setup.hidden;
  const done = new Uint8Array(ops.length);
  const path: { readonly choice: Choice; readonly others: Choice[] }[] = [];
  let state: StepState = {
    low,
    high,
    numbers: [],
    nearest: Number.POSITIVE_INFINITY,
    farthest: Number.NEGATIVE_INFINITY,
    anchor: null,
  };
  let nowMs = Number.NEGATIVE_INFINITY;
  let deadEnds = 0;
  let reached = 0;
  let first = 0;

  const take = (choice: Choice, others: Choice[]): void => {
    path.push({ choice, others });
    done[choice.index] = 1;
    while (done[first] === 1) first += 1;
    state = choice.state;
    nowMs = choice.atMs;
  };
  const takeBack = (): Choice[] => {
    const { choice, others } = path.pop()!;
    done[choice.index] = 0;
    first = Math.min(first, choice.index);
    return others;
  };

  while (path.length < ops.length && deadEnds <= bounds.deadEnds) {
    reached = Math.max(reached, path.length);
    const choices = choose();
    const best = choices.shift();
    if (best) {
      take(best, choices);
      continue;
    }
    deadEnds += 1;
    let others: Choice[] = [];
    while (path.length > 0 && others.length === 0) others = takeBack();
    const other = others.shift();
    if (!other) return { witness: null, reached };
    take(other, others);
  }
  if (path.length < ops.length) return { witness: null, reached };
  const decisions = path.map(({ choice }) => ({ seq: ops[choice.index]!.seq, atMs: choice.atMs }));
  let hidden = middle(state);
  for (let index = path.length - 1; index >= 0; index -= 1) {
    const { anchor } = path[index]!.choice.state;
    if (anchor === null) continue;
    decisions[index]!.atMs = hidden;
    hidden = anchor.closed ?? hidden;
  }
  return { witness: { setup, hidden, decisions }, reached: path.length };

  function choose(): Choice[] {
    // No decision can lie after the answer of a request that is still undecided.
    let dueMs = Number.POSITIVE_INFINITY;
    const waiting: number[] = [];
    for (let index = first; index < ops.length && ops[index]!.sentMs <= dueMs; index += 1) {
      if (done[index] === 1) continue;
      dueMs = Math.min(dueMs, ops[index]!.headersMs);
      waiting.push(index);
    }
    if (dueMs < nowMs) return [];
    // Labels of the usual limiters never go back: they say the order even where what remains is rounded.
    waiting.sort((a, b) => ops[a]!.resetMs - ops[b]!.resetMs || ops[a]!.headersMs - ops[b]!.headersMs);
    const choices: Choice[] = [];
    for (const index of waiting) {
      const op = ops[index]!;
      const fromMs = Math.max(nowMs, op.sentMs);
      if (fromMs > dueMs) continue;
      for (const atMs of fromMs < dueMs ? [fromMs + share * (dueMs - fromMs), fromMs, dueMs] : [fromMs]) {
        const next = step(state, op, atMs, dueMs);
        for (const after of next) choices.push({ index, atMs, state: after });
        if (choices.length >= breadth) return choices;
      }
    }
    return choices;
  }
}

function middle({ low, high }: StepState): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2;
  return Number.isFinite(low) ? low : Number.isFinite(high) ? high : 0;
}
