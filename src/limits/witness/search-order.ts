import { modelOfFamily } from "../models/model-of-family.ts";
import type { NarrowState, NarrowStep } from "../models/narrow-step.ts";
import type { LabelClock, Witness, WitnessOp, WitnessSetup } from "../certificates/witness-form.ts";

/** One decision of a partial order, with what else could have been decided instead. */
interface Choice {
  readonly index: number;
  readonly atMs: number;
  readonly state: NarrowState;
}

/** Alternatives that are kept per decision. */
const breadth = 4;

/** How far a search may go. */
export interface SearchBounds {
  /** Dead ends after which it gives up. */
  readonly deadEnds: number;
  /** The position within the span left to a decision that the search tries first: 0 is its beginning, 1 its end. */
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
  return new OrderSearch(setup, ops, clock, bounds).run();
}

class OrderSearch {
  readonly #setup: WitnessSetup;
  readonly #ops: readonly WitnessOp[];
  readonly #bounds: SearchBounds;
  readonly #step: NarrowStep;
  /** By request: 1 when it is decided. */
  readonly #done: Uint8Array;
  /** The decisions so far, each with the choices left to try instead. */
  readonly #path: { readonly choice: Choice; readonly others: Choice[] }[] = [];
  #state: NarrowState;
  #nowMs = Number.NEGATIVE_INFINITY;
  /** All requests before this one are decided. */
  #first = 0;

  constructor(setup: WitnessSetup, ops: readonly WitnessOp[], clock: LabelClock, bounds: SearchBounds) {
    this.#setup = setup;
    this.#ops = ops;
    this.#bounds = bounds;
    this.#step = modelOfFamily(setup.family)?.narrow(setup, clock) ?? (() => []);
    this.#done = new Uint8Array(ops.length);
    const [low, high] = setup.hidden;
    const [nearest, farthest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    this.#state = { low, high, numbers: [], nearest, farthest, anchor: null };
  }

  run(): Searched {
    let deadEnds = 0;
    let reached = 0;
    while (this.#path.length < this.#ops.length && deadEnds <= this.#bounds.deadEnds) {
      reached = Math.max(reached, this.#path.length);
      if (this.#takeFirst(this.#choose())) continue;
      deadEnds += 1;
      if (!this.#takeFirst(this.#goBack())) return { witness: null, reached };
    }
    if (this.#path.length < this.#ops.length) return { witness: null, reached };
    return { witness: this.#readWitness(), reached: this.#path.length };
  }

  /** Decides by the first choice and keeps the others; false: there is none. */
  #takeFirst(choices: Choice[]): boolean {
    const choice = choices.shift();
    if (!choice) return false;
    this.#path.push({ choice, others: choices });
    this.#done[choice.index] = 1;
    while (this.#done[this.#first] === 1) this.#first += 1;
    this.#state = choice.state;
    this.#nowMs = choice.atMs;
    return true;
  }

  /** Takes decisions back up to the latest that has alternatives, which are the answer; state and time come with the one that is taken. */
  #goBack(): Choice[] {
    for (let last = this.#path.pop(); last; last = this.#path.pop()) {
      const { choice, others } = last;
      this.#done[choice.index] = 0;
      this.#first = Math.min(this.#first, choice.index);
      if (others.length > 0) return others;
    }
    return [];
  }

  #choose(): Choice[] {
    const { dueMs, waiting } = this.#underWay();
    if (dueMs < this.#nowMs) return [];
    const choices: Choice[] = [];
    for (const index of waiting) {
      const op = this.#ops[index]!;
      const fromMs = Math.max(this.#nowMs, op.sentMs);
      if (fromMs > dueMs) continue;
      for (const atMs of fromMs < dueMs ? [fromMs + this.#bounds.share * (dueMs - fromMs), fromMs, dueMs] : [fromMs]) {
        const next = this.#step(this.#state, op, atMs, dueMs);
        for (const after of next) choices.push({ index, atMs, state: after });
        if (choices.length >= breadth) return choices;
      }
    }
    return choices;
  }

  /** Requests that may be decided next, the likeliest first, and the latest instant of that decision. */
  #underWay(): { readonly dueMs: number; readonly waiting: readonly number[] } {
    const ops = this.#ops;
    // No decision can lie after the answer of a request that is still undecided.
    let dueMs = Number.POSITIVE_INFINITY;
    const waiting: number[] = [];
    for (let index = this.#first; index < ops.length && ops[index]!.sentMs <= dueMs; index += 1) {
      if (this.#done[index] === 1) continue;
      dueMs = Math.min(dueMs, ops[index]!.headersMs);
      waiting.push(index);
    }
    // Labels of the usual limiters never go back: they say the order even where what remains is rounded.
    waiting.sort((a, b) => ops[a]!.resetMs - ops[b]!.resetMs || ops[a]!.headersMs - ops[b]!.headersMs);
    return { dueMs, waiting };
  }

  /** The decisions; one whose instant is the hidden number lies where the decisions after it left that. */
  #readWitness(): Witness {
    const decisions = this.#path.map(({ choice }) => ({ seq: this.#ops[choice.index]!.seq, atMs: choice.atMs }));
    let hidden = middle(this.#state);
    for (let index = this.#path.length - 1; index >= 0; index -= 1) {
      const { anchor } = this.#path[index]!.choice.state;
      if (anchor === null) continue;
      decisions[index]!.atMs = hidden;
      hidden = anchor.closed ?? hidden;
    }
    return { setup: this.#setup, hidden, decisions };
  }
}

function middle({ low, high }: NarrowState): number {
  if (Number.isFinite(low) && Number.isFinite(high)) return (low + high) / 2;
  return Number.isFinite(low) ? low : Number.isFinite(high) ? high : 0;
}
