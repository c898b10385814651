import { studentQuantile, tail } from "./binomial.ts";
import { batchTime, type Dependence, momentsOf } from "./dependence.ts";

/** Independent values that a series is worth, and whether an interval may be stated of it. */
export interface EffectiveCount {
  /** Of the interval that is stated, or else of bounds that hold although the dependence is not known well. */
  readonly count: number;
  /**
   * The same for an upper end: fewer, as the dependence of a series is not known well. Bounds of percentiles and shares where no interval is
   * stated take `count`: with fewer, gates far away would not pass either.
   */
  readonly countAbove: number;
  /** How much longer the series had to be for an interval to be stated; 1 and less where it is. */
  readonly timesAsLong: number;
  /** Of a series that is too short to know that: it had to be this much longer at the least; else null. */
  readonly leastTimes: number | null;
  /** So few that the count itself is little more than a guess: nothing follows from it but bounds that are far away. */
  readonly isThin: boolean;
}

/** Batches of which the variance of the mean is taken at least, so long as each is several times as long as the dependence. */
const batches = 32;
const timesOfBatch = 3;
/**
 * Of a dependent series the time itself must be known: from this many windows of five times its length it is known within a fifth.
 * With fewer, series that had luck look independent, and exactly these would be stated (docs/measurements/statistics.md).
 */
const leastWindows = 120;
const timesOfWindow = 5;
/** So many times the floor of independent values, where their number is itself an estimate. */
const floorsOfDependent = 3.5;
/**
 * A run without a rush has percentiles that are too low, and looks less dependent than its queue is: the upper end takes the dependence
 * at its own upper bound, this many standard errors above what was found, and at most at four times of it.
 */
const errorsAbove = 4;
const mostAbove = 4;
/** Squared relative errors for one series as long as the dependence: of the time (Sokal 1997), and of what lies beyond a percentile. */
const errorOfTime = 20;
const errorBeyond = 0.3;
/** Bounds without a stated interval take the values for this much more dependent than they look, ... */
const caution = 3;
/** ... and are thin where even that would be a guess. */
const leastWindowsOfBounds = 10;
/**
 * With fewer windows the needed length is right within a factor of two in a half of the cases or fewer. It is a third at the least of
 * what the dependence asks for as far as it was seen, in nineteen of twenty.
 */
const leastWindowsOfLength = 16;
const leastPart = 3;

/**
 * `scored` is the series that the figure is a mean of: exceedances of a percentile, successes, or the values themselves. `floor` is
 * the least number of independent values, `q` the percentile as a fraction, `least` a dependence that is known from elsewhere.
 */
export function effectiveCount(
  scored: Float64Array,
  { time, isSure }: Dependence,
  {
    floor,
    q = 0.5,
    least = 1,
    beyond = tail,
  }: { readonly floor: number; readonly q?: number; readonly least?: number; readonly beyond?: number },
): EffectiveCount {
  const n = scored.length;
  const needed = isSure ? time * Math.max(timesOfWindow * leastWindows, floorsOfDependent * floor) : floor;
  const isEnough = n > 0 && needed <= n;
  const size = Math.max(1, Math.ceil(Math.max(n / batches, timesOfBatch * time)));
  const own = size < n / 3 ? Math.max(least, batchTime(scored, size, momentsOf(scored))) : time;
  if (isEnough) {
    const count = n / (own * unsureness(n / size, own, beyond));
    return {
      count,
      countAbove: isSure ? count / widening(n / time, q) : count,
      timesAsLong: needed / n,
      leastTimes: null,
      isThin: false,
    };
  }
  // The shorter a series, the less of its dependence it can show: the length that it asks for would be too short by this, on average.
  const unseen = isSure ? 1 + (errorOfTime * time) / n : 1;
  const timesAsLong = n === 0 ? Infinity : (unseen * needed) / n;
  // A series that is only too short is no more dependent than it looks.
  const cautious = isSure ? caution * Math.max(own, time) : Math.max(own, time);
  const isThin = isSure && n < timesOfWindow * leastWindowsOfBounds * time;
  const count = n / (cautious * (isThin ? 1 : unsureness(n / size, own, beyond)));
  const isGuess = isSure && n < timesOfWindow * leastWindowsOfLength * time;
  const countAbove = isSure ? count / widening(n / time, q) : count;
  return { count, countAbove, timesAsLong, leastTimes: isGuess ? needed / n / leastPart : null, isThin };
}

/** Upper bound of the dependence over what was found, in a series of so many times its length. */
function widening(times: number, q: number): number {
  const error = Math.sqrt((errorOfTime + errorBeyond / (1 - q)) / times);
  return errorsAbove * error < 1 ? Math.min(mostAbove, 1 / (1 - errorsAbove * error)) : mostAbove;
}

/** The variance comes from so many batches: Student's t instead of the normal, as a factor of the variance. */
function unsureness(count: number, own: number, beyond: number): number {
  if (own === 1) return 1;
  const freedom = Math.max(1, Math.round(1.5 * (count - 1)));
  return (studentQuantile(1 - beyond, freedom) / studentQuantile(1 - beyond, 1e6)) ** 2;
}
