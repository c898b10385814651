import type { SearchTrial } from "./search-trial.ts";
import type { CapacityTrial } from "./capacity-trial.ts";
import { type CapacityFit, fitCapacity } from "./fit-capacity.ts";

export interface CapacityBounds {
  /** Lowest and highest level that may be tried. */
  readonly from: number;
  readonly to: number;
  /** Levels are whole numbers: requests in flight. */
  readonly whole: boolean;
  /** The interval is narrow enough when half of it is at most this fraction of the level. */
  readonly precision: number;
  /** All trials together. */
  readonly maxRequests: number;
  readonly maxSeconds: number;
  /** One trial. */
  readonly leastRequests: number;
  readonly leastSeconds: number;
}

/**
 * `narrow`: the interval is. `above`, `below`: every level that may be tried holds, or none. `generator`: the level could not be sent,
 * twice. The others: all is used up.
 */
export type CapacityStop = "narrow" | "requests" | "seconds" | "above" | "below" | "generator";

/**
 * The next trial of a search, or why there is none. The level doubles until the gates are missed; then trials are repeated on both
 * sides of the level that the fit over all of them names, each a part of all requests so far: the better the knee is known, the longer.
 */
export function nextOf(trials: readonly CapacityTrial[], bounds: CapacityBounds): SearchTrial | CapacityStop {
  const lateInRow = trials.length - 1 - trials.findLastIndex(({ isLate }) => !isLate);
  if (lateInRow >= mostLate) return "generator";
  // A machine may be busy for a moment: what it could not send is tried once more.
  if (lateInRow > 0) return unlessUsedUp(sizeOf(trials.at(-1)?.level ?? bounds.from, trials, bounds), trials, bounds);
  const sound = trials.filter(({ isLate }) => !isLate);
  if (sound.length === 0) return sizeOf(bounds.from, trials, bounds);
  const fit = fitCapacity(sound);
  const countOf = (wanted: number): number => sound.filter(({ level }) => level === wanted).length;
  if (fit.side === "between") {
    const sides = neighbours(fit.value, bounds);
    const lower = sides[0] ?? fit.value;
    const isNear = sides.every((side) => countOf(side) >= leastReplicates) && isNarrow(bounds, fit);
    const confirmed = confirmingRequests(sound, fit, bounds);
    const longest = Math.max(...sound.map(({ level, requests }) => (level === lower ? requests : 0)));
    if (isNear && longest >= confirmed) return "narrow";
    const wanted = isNear ? (confirmed / (1 - confirmingPart)) * 1.01 : settledTimes * fit.time;
    const level = isNear ? lower : lighterOf(sound, sides);
    return unlessUsedUp(atLeast(wanted, sizeOf(level, trials, bounds), trials, bounds), trials, bounds);
  }
  if (countOf(fit.side === "above" ? bounds.to : bounds.from) >= leastReplicates) return fit.side;
  const highest = Math.max(...sound.map(({ level }) => level));
  const level = fit.side === "above" ? Math.min(bounds.to, 2 * highest) : bounds.from;
  return unlessUsedUp(sizeOf(level, trials, bounds), trials, bounds);
}

function unlessUsedUp(
  next: SearchTrial & { readonly requests: number },
  trials: readonly CapacityTrial[],
  { maxRequests, maxSeconds }: CapacityBounds,
): SearchTrial | CapacityStop {
  if (sum(trials, ({ requests }) => requests) + next.requests > maxRequests) return "requests";
  const left = maxSeconds - sum(trials, ({ seconds }) => seconds);
  return next.seconds > left ? "seconds" : next;
}

function sizeOf(
  level: number,
  trials: readonly CapacityTrial[],
  { whole, leastRequests, leastSeconds, maxSeconds }: CapacityBounds,
): SearchTrial & { readonly requests: number } {
  const spent = sum(trials, ({ requests }) => requests);
  const rarest = Math.min(1, ...(trials[0]?.counts ?? []).map(({ allowed }) => allowed));
  const own = whole ? timesInFlight * level : leastSeconds * level;
  const requests = Math.ceil(Math.max(leastRequests, leastMissed / rarest, spent / growth, own));
  return { level, requests, seconds: whole ? maxSeconds / secondsOfLoop : requests / level };
}

/**
 * A queue that fills up misses less than one that has, and one that is overloaded looks like one that is not until it has filled up: the
 * level below the knee is tried for long once, before the search ends. A loop has no more in its queue than its clients.
 */
function confirmingRequests(trials: readonly CapacityTrial[], { time }: CapacityFit, { whole }: CapacityBounds): number {
  return Math.max(settledTimes * time, whole ? 0 : confirmingPart * sum(trials, ({ requests }) => requests));
}

/** As long as wanted, while all that is spent and all that is left allow it twice. */
function atLeast(
  wanted: number,
  next: SearchTrial & { readonly requests: number },
  trials: readonly CapacityTrial[],
  { whole, maxRequests }: CapacityBounds,
): SearchTrial & { readonly requests: number } {
  const spent = sum(trials, ({ requests }) => requests);
  const requests = Math.max(next.requests, Math.ceil(Math.min(wanted, spent / 2, (maxRequests - spent) / 2)));
  return { ...next, requests, seconds: whole ? next.seconds : requests / next.level };
}

function sum(trials: readonly CapacityTrial[], of: (trial: CapacityTrial) => number): number {
  return trials.reduce((total, trial) => total + of(trial), 0);
}

function isNarrow({ whole, precision }: CapacityBounds, { value, low, high }: CapacityFit): boolean {
  return (whole && Math.floor(low) === Math.floor(high)) || high - low <= 2 * precision * value;
}

/** Misses that a trial at the knee is expected to have at least. */
const leastMissed = 10;
/** A trial at the knee is so many times as long as its requests remember. */
const settledTimes = 30;
/** Part of all requests that one trial below the knee has. */
const confirmingPart = 0.25;
/** A loop answers each of its slots so often in a trial: a part at both ends is left out. */
const timesInFlight = 8;
/** A loop that does not reach its requests ends after this part of all the time. */
const secondsOfLoop = 10;
/** Trials in a row that the generator could not send. */
const mostLate = 2;
/** Trials on each side of the knee. */
const leastReplicates = 2;
/** A trial is this part of all requests before it. */
const growth = 6;
/** Levels of the grid between one and its double. */
const perOctave = 9;

/** The levels of the grid on both sides. */
function neighbours(value: number, { from, to, whole }: CapacityBounds): readonly number[] {
  const place = Math.floor(perOctave * Math.log2(value / from) + 1e-9);
  const within = (level: number): number => Math.min(to, Math.max(from, level));
  const at = (index: number): number => within(Number((from * 2 ** (index / perOctave)).toPrecision(6)));
  if (!whole) return [at(place), at(place + 1)];
  const below = Math.max(from, Math.floor(value + 1e-9));
  return [below, within(Math.max(below + 1, Math.round(below * 2 ** (1 / perOctave))))];
}

/** The one with fewer requests so far. */
function lighterOf(trials: readonly CapacityTrial[], levels: readonly number[]): number {
  const weightOf = (wanted: number): number =>
    sum(
      trials.filter(({ level }) => level === wanted),
      ({ counts }) => counts[0]?.counted ?? 0,
    );
  return levels.toSorted((one, other) => weightOf(one) - weightOf(other))[0] ?? 0;
}
