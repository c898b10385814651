import type { LabelClock, WitnessOp, WitnessSetup } from "./witness-form.ts";

/** The state of a limiter after some decisions; its hidden number lies between `low` and `high`. */
export interface StepState {
  readonly low: number;
  readonly high: number;
  readonly numbers: readonly number[];
  /** Least and greatest distance of a label from the instant that it names. */
  readonly nearest: number;
  readonly farthest: number;
  /** Set by a decision whose own instant is the hidden number from now on; `closed` is what the one before it came to. */
  readonly anchor: { readonly closed: number | null } | null;
}

/**
 * States after the request was decided at `atMs` with its own status and reading; empty when it cannot have been. Nothing else need
 * be decided before `dueMs`.
 */
export type StepModel = (state: StepState, op: WitnessOp, atMs: number, dueMs: number) => readonly StepState[];

export function stepModel(setup: WitnessSetup, clock: LabelClock): StepModel {
  switch (setup.family) {
    case "fixed-window":
      return alignedWindow(setup);
    case "fixed-from-first":
      return setup.wholeSeconds ? windowOfWholeSeconds(setup) : windowFromFirst(setup);
    case "sliding-log":
      return slidingLog(setup, clock);
    case "sliding-counter":
      return slidingCounter(setup);
    case "token-bucket":
      return continuousBucket(setup, clock);
    case "batch-refill":
      return batchBucket(setup, clock);
    default:
      return () => [];
  }
}

/** Lowest and highest whole number of requests left after the decision that the reading allows. */
function leftBounds(setup: WitnessSetup, op: WitnessOp): readonly [least: number, most: number] {
  const least = op.remaining - (op.admitted ? setup.before : 0);
  return [least, least + setup.rounding - 1];
}

function restrict(state: StepState, low: number, high: number, numbers: readonly number[]): readonly StepState[] {
  const narrowed = { ...state, anchor: null, low: Math.max(state.low, low), high: Math.min(state.high, high), numbers };
  return narrowed.low <= narrowed.high ? [narrowed] : [];
}

/** Labels are rounded to a second by one clock: their distances from what they name differ by no more. */
function labelled(states: readonly StepState[], distance: number, { slackMs, lowMs, highMs }: LabelClock): readonly StepState[] {
  return states.flatMap((state) => {
    const nearest = Math.min(state.nearest, distance);
    const farthest = Math.max(state.farthest, distance);
    const fits = farthest - nearest <= 1000 + slackMs && farthest >= lowMs - 1000 && nearest <= highMs + 1000;
    return fits ? [{ ...state, nearest, farthest }] : [];
  });
}

function countInWindow(setup: WitnessSetup, op: WitnessOp, used: number): number | null {
  const { limit } = setup;
  if (op.admitted !== used < limit) return null;
  const after = op.admitted ? used + 1 : used;
  const [least, most] = leftBounds(setup, op);
  return limit - after >= least && limit - after <= most ? after : null;
}

/** Numbers: [label, used]. Hidden: label minus end of its window. */
function alignedWindow(setup: WitnessSetup): StepModel {
  const { windowMs } = setup;
  return (state, op, atMs) => {
    const [label = Number.NEGATIVE_INFINITY, used = 0] = state.numbers;
    if (op.resetMs < label || (op.resetMs - setup.phaseMs) % windowMs !== 0) return [];
    const after = countInWindow(setup, op, op.resetMs === label ? used : 0);
    if (after === null) return [];
    return restrict(state, op.resetMs - windowMs - atMs, op.resetMs - atMs, [op.resetMs, after]);
  };
}

/** A clock in whole seconds moves the end of a window by so much. */
const wholeSecondMs = 1000;

/** Numbers: [label, used, start]. Hidden: label minus end of its window. */
function windowFromFirst(setup: WitnessSetup): StepModel {
  const { windowMs } = setup;
  return (state, op, atMs) => {
    const [label = Number.NEGATIVE_INFINITY, used = 0, startMs = Number.NEGATIVE_INFINITY] = state.numbers;
    const opens = op.resetMs !== label;
    if (opens && (op.resetMs < label || atMs < startMs + windowMs - wholeSecondMs)) return [];
    if (!opens && atMs > startMs + windowMs) return [];
    const after = countInWindow(setup, op, opens ? 0 : used);
    if (after === null) return [];
    const from = opens ? atMs : startMs;
    const offset = op.resetMs - from - windowMs;
    return restrict(state, offset - wholeSecondMs / 2, offset + wholeSecondMs / 2, [op.resetMs, after, from]);
  };
}

/** Numbers: [label, used]. Hidden: clock of the service minus run clock; it has reached a label when the window is over. */
function windowOfWholeSeconds(setup: WitnessSetup): StepModel {
  const { windowMs } = setup;
  return (state, op, atMs) => {
    const [label = Number.NEGATIVE_INFINITY, used = 0] = state.numbers;
    const opens = op.resetMs !== label;
    if (op.resetMs < label || op.resetMs % wholeSecondMs !== 0) return [];
    const after = countInWindow(setup, op, opens ? 0 : used);
    if (after === null) return [];
    const beforeLabelMs = op.resetMs - atMs;
    const openedMs = beforeLabelMs - windowMs;
    return opens
      ? restrict(state, Math.max(openedMs, label - atMs), openedMs + wholeSecondMs - 1e-3, [op.resetMs, after])
      : restrict(state, openedMs, beforeLabelMs - 1e-3, [op.resetMs, after]);
  };
}

/** Numbers: what is in the log, oldest first. */
function slidingLog(setup: WitnessSetup, clock: LabelClock): StepModel {
  const { limit, windowMs, countsRejects, label } = setup;
  return (state, op, atMs) => {
    const log = state.numbers.filter((entry) => entry > atMs - windowMs);
    const after = countInWindow(setup, op, log.length);
    if (after === null) return [];
    if (op.admitted || countsRejects) log.push(atMs);
    const numbers = log.slice(Math.max(0, log.length - limit));
    const oldestMs = (numbers[0] ?? atMs) + windowMs;
    const namedMs = label === 0 ? oldestMs : label === 1 ? (numbers.at(-1) ?? atMs) + windowMs : op.admitted ? atMs : oldestMs;
    return labelled([{ ...state, numbers }], op.resetMs - namedMs, clock);
  };
}

/** Numbers: [label, used, used in the window before]. Hidden: label minus end of its window, which fixes what the last one weighs. */
function slidingCounter(setup: WitnessSetup): StepModel {
  const { limit, windowMs, countsRejects, weigh } = setup;
  return (state, op, atMs) => {
    const [label = op.resetMs, used = 0, before = 0] = state.numbers;
    if (op.resetMs < label || (op.resetMs - setup.phaseMs) % windowMs !== 0) return [];
    const moved = op.resetMs - label;
    const own = moved === 0 ? used : 0;
    const last = moved === 0 ? before : moved === windowMs ? used : 0;
    const after = own + (op.admitted || countsRejects ? 1 : 0);
    const [least, most] = leftBounds(setup, op);
    // The sliding counter carries over a whole number of requests.
    const none = least <= 0 || !op.admitted;
    const fewest = Math.max(0, op.admitted ? limit - after - most : limit - own);
    const greatest = none ? (op.admitted ? limit - own - 1 : last) : Math.min(limit - after - least, limit - own - 1);
    if (fewest > greatest || (!op.admitted && op.remaining !== 0)) return [];
    const lowest = weigh === "floor" ? fewest : fewest - 1 + 1e-9;
    const highest = weigh === "floor" ? greatest + 1 - 1e-9 : greatest;
    const numbers = [op.resetMs, after, last];
    const endMs = op.resetMs - atMs;
    if (last === 0) return lowest <= 0 ? restrict(state, endMs - windowMs, endMs, numbers) : [];
    const least0 = Math.max(0, lowest) / last;
    const most1 = Math.min(1, highest / last);
    return restrict(state, endMs - most1 * windowMs, endMs - least0 * windowMs, numbers);
  };
}

/**
 * Numbers: [what the bucket would hold now if nothing had come in since the anchor]. Hidden: the anchor, when it was last full or was
 * created; that decision may lie anywhere until `dueMs`.
 */
function continuousBucket(setup: WitnessSetup, clock: LabelClock): StepModel {
  const { limit, windowMs, capacity, startLevel, label } = setup;
  const rate = limit / windowMs;
  return (state, op, atMs, dueMs) => {
    const [held] = state.numbers;
    const taken = op.admitted ? 1 : 0;
    const [least, most] = leftBounds(setup, op);
    if (!op.admitted && op.remaining !== 0) return [];
    const lowest = Math.max(0, least);
    const highest = op.admitted ? most + 1 : 1;
    const named = (states: readonly StepState[], level: number): readonly StepState[] =>
      labelled(states, op.resetMs - atMs - Math.max(0, (label === 0 ? capacity : 1) - level) / rate, clock);
    const anchored = (level: number, closed: number | null): readonly StepState[] => {
      const left = level - taken;
      if (left < lowest - 1e-9 || left >= highest) return [];
      return named([{ ...state, numbers: [left], low: atMs, high: dueMs, anchor: { closed } }], left);
    };
    if (held === undefined) return anchored(startLevel, null);
    const fullMs = atMs - (capacity - held) / rate;
    const full = restrict(state, Number.NEGATIVE_INFINITY, Math.min(fullMs, atMs), []).flatMap((part) =>
      anchored(capacity, (part.low + part.high) / 2),
    );
    const left = held - taken;
    const below = restrict(
      state,
      Math.max(fullMs, atMs - (highest - left) / rate + 1e-6),
      Math.min(atMs, atMs - (lowest - left) / rate),
      [left],
    ).flatMap((part) => named([part], left + rate * (atMs - (part.low + part.high) / 2)));
    return [...full, ...below];
  };
}

/** Numbers: [level, batches so far]. Hidden: instant of a batch. */
function batchBucket(setup: WitnessSetup, clock: LabelClock): StepModel {
  const { limit, windowMs, capacity, startLevel, batchMs, label } = setup;
  const portion = (limit / windowMs) * batchMs;
  return (state, op, atMs) => {
    const [least, most] = leftBounds(setup, op);
    const first = Math.floor((atMs - state.high) / batchMs);
    const last = Math.floor((atMs - state.low) / batchMs);
    const states: StepState[] = [];
    for (let batch = first; batch <= last; batch += 1) {
      const [held = startLevel, before = batch] = state.numbers;
      if (batch < before) continue;
      const level = Math.min(capacity, held + (batch - before) * portion);
      const admitted = level >= 1 - 1e-9;
      const left = admitted ? level - 1 : level;
      const shown = Math.floor(left + 1e-9);
      if (admitted !== op.admitted || shown < least || shown > most) continue;
      const next = restrict(state, atMs - (batch + 1) * batchMs + 1e-6, atMs - batch * batchMs, [left, batch]);
      const waits = Math.ceil(Math.max(0, (label === 0 ? capacity : 1) - left) / portion - 1e-6);
      const namedMs = (batch + waits) * batchMs + (state.low + state.high) / 2;
      states.push(...labelled(next, op.resetMs - namedMs, clock));
    }
    return states;
  };
}
