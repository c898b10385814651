import type { SearchTrial } from "./search-trial.ts";
import type { CapacityTrial } from "./capacity-trial.ts";
import { type CapacityFit, fitCapacity } from "./fit-capacity.ts";
import { uncountedGate } from "./uncounted-gate.ts";

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
 * twice. `unseen`: no request gives a figure for one of the gates. The others: all is used up.
 */
export type CapacityStop = "narrow" | "requests" | "seconds" | "above" | "below" | "generator" | "unseen";

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
  if (uncountedGate(sound) !== null) {
    if (sound.length >= mostUnseen) return "unseen";
    // A figure may be rare: the first level is tried again, and nothing above it that no gate would lead.
    return unlessUsedUp(sizeOf(bounds.from, trials, bounds), trials, bounds);
  }
  const fit = fitCapacity(sound);
  const countOf = (wanted: number): number => sound.filter(({ level }) => level === wanted).length;
  if (fit.side === "between") {
    const confirmed = confirmingRequests(sound, fit, bounds);
    const near = nearTo(sound, fit.value, bounds);
    const below = near.filter(({ level }) => level <= fit.value);
    const isConfirmed = below.some(({ requests }) => requests >= confirmed);
    if (near.length >= leastNear && isNarrow(bounds, fit)) {
      if (isConfirmed) return "narrow";
      const wanted = (confirmed / (1 - confirmingPart)) * 1.01;
      return longer(sides(fit, bounds)[0], wanted, trials, bounds);
    }
    const level = lighterOf(near, sides(fit, bounds), fit.value);
    return longer(level, settledTimes * fit.time, trials, bounds);
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
  const rarest = Math.min(1, ...(trials[0]?.counts ?? []).map(({ allowed }) => allowed));
  const own = whole ? timesInFlight * level : leastSeconds * level;
  const requests = Math.ceil(Math.max(leastRequests, leastMissed / rarest, own));
  return { level, requests, seconds: whole ? maxSeconds / secondsOfLoop : requests / level };
}

/**
 * A queue that fills up misses less than one that has, and one that is overloaded looks like one that is not until it has filled up: the
 * level below the knee is tried for long once, before the search ends. A loop has no more in its queue than its clients.
 */
function confirmingRequests(trials: readonly CapacityTrial[], { time }: CapacityFit, { whole }: CapacityBounds): number {
  return Math.max(settledTimes * time, whole ? 0 : confirmingPart * sum(trials, ({ requests }) => requests));
}

/** As long as wanted and as a part of all that is spent; what would be too little for one more trial is added to this one. */
function longer(
  level: number,
  wanted: number,
  trials: readonly CapacityTrial[],
  bounds: CapacityBounds,
): SearchTrial | CapacityStop {
  const least = sizeOf(level, trials, bounds);
  const spent = sum(trials, ({ requests }) => requests);
  const inTime = bounds.whole ? Infinity : Math.floor(level * (bounds.maxSeconds - sum(trials, ({ seconds }) => seconds)));
  const left = Math.min(bounds.maxRequests - spent, inTime);
  const grown = Math.max(least.requests, Math.ceil(Math.min(Math.max(wanted, spent * growth), spent)));
  const requests = left < 1.5 * grown && left >= least.requests ? left : grown;
  return unlessUsedUp({ ...least, requests, seconds: bounds.whole ? least.seconds : requests / level }, trials, bounds);
}

function sum(trials: readonly CapacityTrial[], of: (trial: CapacityTrial) => number): number {
  return trials.reduce((total, trial) => total + of(trial), 0);
}

function isNarrow({ whole, precision }: CapacityBounds, { value, low, high }: CapacityFit): boolean {
  return (whole && Math.floor(low) === Math.floor(high)) || high - low <= 2 * precision * value;
}

/** So many trials in which no request gives a figure for one of the gates. */
const mostUnseen = 3;
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
/** Trials near the knee before a search ends. */
const leastNear = 4;
/** Trials at an edge that all hold, or do not. */
const leastReplicates = 2;
/** A trial near the knee is this part of all requests before it: the better the knee is known, the longer. */
const growth = 0.5;
/** Levels within this part of the knee are near it; of requests in flight the next number is, too. */
const nearPart = 0.1;
/** Trials lie this part of half the interval beside the knee, on both sides, and near it: a queue far above says little. */
const aside = 0.25;
const mostAside = 0.05;

function sides(
  { value, low, high }: CapacityFit,
  { from, to, whole, precision }: CapacityBounds,
): readonly [below: number, above: number] {
  const within = (level: number): number => Math.min(to, Math.max(from, level));
  const part = (end: number): number => Math.min(mostAside, Math.max(precision / 4, aside * Math.abs(Math.log(end / value))));
  const [below, above] = [value * (1 - part(low)), value * (1 + part(high))];
  if (!whole) return [within(Number(below.toPrecision(4))), within(Number(above.toPrecision(4)))];
  const floor = Math.max(from, Math.min(Math.floor(value + 1e-9), Math.round(below)));
  return [floor, within(Math.max(Math.floor(value + 1e-9) + 1, Math.round(above)))];
}

function nearTo(trials: readonly CapacityTrial[], value: number, { whole }: CapacityBounds): readonly CapacityTrial[] {
  const most = Math.max(nearPart * value, whole ? 1 : 0);
  return trials.filter(({ level }) => Math.abs(level - value) <= most);
}

/** The side of the knee with fewer requests so far. */
function lighterOf(near: readonly CapacityTrial[], [below, above]: readonly [number, number], value: number): number {
  const requestsOf = (isWanted: (level: number) => boolean): number =>
    sum(
      near.filter(({ level }) => isWanted(level)),
      ({ requests }) => requests,
    );
  return requestsOf((level) => level <= value) <= requestsOf((level) => level > value) ? below : above;
}
