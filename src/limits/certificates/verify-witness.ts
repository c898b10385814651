import type { LabelClock, Witness, WitnessOp, WitnessSetup } from "./witness-form.ts";

/**
 * Runs a limiter over a claimed order of decisions, by plain loops over its definition and without any code of the search: every
 * instant lies within its request, in order, and every status, remaining and reset comes out as it was answered. null when all do,
 * else the first that does not.
 */
export function verifyWitness(witness: Witness, ops: readonly WitnessOp[], clock: LabelClock): string | null {
  const { setup, hidden, decisions } = witness;
  const bySeq = new Map(ops.map((op) => [op.seq, op]));
  if (decisions.length !== ops.length || new Set(decisions.map(({ seq }) => seq)).size !== ops.length) {
    return "not every request is decided once";
  }
  const limiter = createLimiter(setup, hidden);
  /** Per meaning of the label: label minus the instant that it would name. */
  const offsets: number[][] = [];
  let previousMs = Number.NEGATIVE_INFINITY;
  for (const { seq, atMs } of decisions) {
    const op = bySeq.get(seq);
    if (op === undefined) return `#${seq} is no request of the history`;
    if (atMs < previousMs || atMs < op.sentMs || atMs > op.headersMs) return `#${seq} is decided outside of its request`;
    previousMs = atMs;
    const { admitted, left, named } = limiter(atMs);
    if (admitted !== op.admitted) return `#${seq} comes out ${admitted ? "admitted" : "rejected"}`;
    const whole = Math.max(0, Math.floor(left + 1e-6)) + (admitted ? setup.before : 0);
    const shown = Math.floor(whole / setup.rounding) * setup.rounding;
    if (shown !== op.remaining) return `#${seq} comes out with ${shown} remaining`;
    named.forEach((instant, meaning) => (offsets[meaning] ??= []).push(op.resetMs - instant));
  }
  const fits = offsets.some((of) => of.length === ops.length && fitsClock(of, clock));
  return fits ? null : "no meaning of the label explains every reset";
}

/** A label is rounded to a second somehow, by one clock: its distance from the instant that it names varies by no more. */
function fitsClock(distances: readonly number[], { slackMs, lowMs, highMs }: LabelClock): boolean {
  let least = Number.POSITIVE_INFINITY;
  let most = Number.NEGATIVE_INFINITY;
  for (const distance of distances) {
    least = Math.min(least, distance);
    most = Math.max(most, distance);
  }
  return most - least <= 1000 + slackMs && most >= lowMs - 1000 && least <= highMs + 1000;
}

interface Outcome {
  readonly admitted: boolean;
  /** Requests left after the decision; may be a fraction. */
  readonly left: number;
  /** Instants of the run clock that the reset may name, one per meaning. */
  readonly named: readonly number[];
}

function createLimiter(setup: WitnessSetup, hidden: number): (atMs: number) => Outcome {
  switch (setup.family) {
    case "fixed-window":
      return countWindows(setup, (atMs) => windowIndex(setup, hidden, atMs) * setup.windowMs + setup.phaseMs - hidden);
    case "fixed-from-first":
      return countWindows(
        setup,
        null,
        setup.wholeSeconds ? (atMs) => Math.floor((atMs + hidden) / 1000) * 1000 - hidden : undefined,
      );
    case "sliding-log":
      return keepLog(setup);
    case "sliding-counter":
      return weighWindows(setup, hidden);
    default:
      return drainBucket(setup, hidden);
  }
}

/** Windows end where a label would lie: `hidden` is label minus run clock. */
function windowIndex({ windowMs, phaseMs }: WitnessSetup, hidden: number, atMs: number): number {
  return Math.floor((atMs + hidden - phaseMs) / windowMs);
}

/** `startOf` null: a window begins with a request. `clock`: an instant as the limiter reads it; `hidden` is its clock minus run clock. */
function countWindows(
  { limit, windowMs }: WitnessSetup,
  startOf: ((atMs: number) => number) | null,
  clock: (atMs: number) => number = (atMs) => atMs,
): (atMs: number) => Outcome {
  let startMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  return (atMs) => {
    const nowMs = clock(atMs);
    // A thousandth of a millisecond: instants since 1970 are no exact sums.
    const begins = startOf === null ? (nowMs >= startMs + windowMs - 1e-3 ? nowMs : startMs) : startOf(atMs);
    if (begins !== startMs) used = 0;
    startMs = begins;
    const admitted = used < limit;
    if (admitted) used += 1;
    return { admitted, left: limit - used, named: [startMs + windowMs] };
  };
}

function keepLog({ limit, windowMs, countsRejects }: WitnessSetup): (atMs: number) => Outcome {
  let log: number[] = [];
  return (atMs) => {
    log = log.filter((entry) => entry + windowMs > atMs);
    const admitted = log.length < limit;
    if (admitted || countsRejects) log.push(atMs);
    if (log.length > limit) log.shift();
    const oldest = log[0]! + windowMs;
    return {
      admitted,
      left: admitted ? limit - log.length : 0,
      named: [oldest, log.at(-1)! + windowMs, admitted ? atMs : oldest],
    };
  };
}

function weighWindows(setup: WitnessSetup, hidden: number): (atMs: number) => Outcome {
  const { limit, windowMs, phaseMs, countsRejects, weigh } = setup;
  const counts = new Map<number, number>();
  return (atMs) => {
    const index = windowIndex(setup, hidden, atMs);
    const endMs = (index + 1) * windowMs + phaseMs - hidden;
    const weight = (counts.get(index - 1) ?? 0) * ((endMs - atMs) / windowMs);
    const carried = weigh === "floor" ? Math.floor(weight) : Math.ceil(weight);
    const used = counts.get(index) ?? 0;
    const admitted = used + carried < limit;
    if (admitted || countsRejects) counts.set(index, used + 1);
    const left = limit - (counts.get(index) ?? 0) - carried;
    return { admitted, left: admitted ? left : Math.min(0, left), named: [endMs, endMs + windowMs] };
  };
}

function drainBucket(
  { limit, windowMs, capacity, startLevel, batchMs }: WitnessSetup,
  hidden: number,
): (atMs: number) => Outcome {
  const rate = limit / windowMs;
  const clock = (atMs: number): number => (batchMs > 0 ? Math.floor((atMs - hidden) / batchMs) * batchMs : atMs);
  let level = startLevel;
  let lastMs = Number.NaN;
  return (atMs) => {
    const now = clock(atMs);
    if (!Number.isNaN(lastMs)) level = Math.min(capacity, level + (now - lastMs) * rate);
    lastMs = now;
    const admitted = level >= 1 - 1e-6;
    if (admitted) level -= 1;
    const wait = (target: number): number => {
      const dueMs = Math.max(0, target - level) / rate;
      return batchMs > 0 ? Math.ceil(dueMs / batchMs - 1e-6) * batchMs + now + hidden : atMs + dueMs;
    };
    return { admitted, left: level, named: [wait(capacity), wait(1)] };
  };
}
