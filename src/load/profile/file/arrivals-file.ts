import type { BurstsArrivals } from "./bursts-arrivals.ts";
import type { CapacitySearchArrivals } from "./capacity-search-arrivals.ts";
import type { Gaps } from "./gaps.ts";
import type { Length } from "./length.ts";
import type { TraceArrivals } from "./trace-arrivals.ts";

/**
 * When requests are sent.
 * @discriminator kind
 */
export type ArrivalsFile =
  | ConstantArrivals
  | PoissonArrivals
  | GammaArrivals
  | RampArrivals
  | StepsArrivals
  | SpikeArrivals
  | BurstsArrivals
  | ClosedArrivals
  | SweepArrivals
  | BisectArrivals
  | CapacitySearchArrivals
  | ConcurrencySweepArrivals
  | TraceArrivals
  | SessionsArrivals;

/** evenly spaced; the first request half a gap after the start */
interface ConstantArrivals {
  readonly kind: "constant";
  /** requests a second */
  readonly ratePerSecond: Rate;
}

/** at random, with exponential gaps (a Poisson process) */
interface PoissonArrivals {
  readonly kind: "poisson";
  /** requests a second */
  readonly ratePerSecond: Rate;
}

/** at random, with gamma gaps; a shape below 1 makes bursts (coefficient of variation 1/sqrt(shape)) */
interface GammaArrivals {
  readonly kind: "gamma";
  /** requests a second */
  readonly ratePerSecond: Rate;
  /** shape of the gamma distribution */
  readonly shape: Positive;
}

/** from one rate to another in a straight line */
interface RampArrivals {
  readonly kind: "ramp";
  /**
   * rate at the start
   * @minimum 0
   * @maximum 100000
   */
  readonly fromPerSecond: number;
  /** rate at the end */
  readonly toPerSecond: Rate;
  /** even or poisson: how gaps between requests are drawn */
  readonly gaps?: Gaps;
}

/** one rate after the other */
interface StepsArrivals {
  readonly kind: "steps";
  /**
   * list of { ratePerSecond, seconds }
   * @minItems 1
   */
  readonly steps: readonly RateStep[];
  /** even or poisson: how gaps between requests are drawn */
  readonly gaps?: Gaps;
}

/** a base rate with one peak */
interface SpikeArrivals {
  readonly kind: "spike";
  /** rate outside the peak */
  readonly basePerSecond: Rate;
  /** rate in the peak */
  readonly peakPerSecond: Rate;
  /** start of the peak */
  readonly atSeconds: NotNegative;
  /** length of the peak */
  readonly forSeconds: Positive;
  /** even or poisson: how gaps between requests are drawn */
  readonly gaps?: Gaps;
}

/** a fixed number of requests in flight; the next is sent when one is answered (closed loop) */
interface ClosedArrivals {
  readonly kind: "closed";
  /** requests in flight */
  readonly concurrency: Concurrency;
  /** milliseconds between an answer and the next request */
  readonly thinkMs?: NotNegative;
  /**
   * over how long the requests of the loop begin, so that streams do not tick together; default a fortieth of the loop, half a second at most
   * @minimum 0
   * @maximum 3600
   */
  readonly rampSeconds?: number;
}

/** rising rates, until two in a row miss the service level */
interface SweepArrivals {
  readonly kind: "sweep";
  /**
   * the rates, rising
   * @minItems 2
   */
  readonly ratesPerSecond: readonly Rate[];
  /** seconds for each rate */
  readonly secondsPerRate: Positive;
  /** even or poisson: how gaps between requests are drawn */
  readonly gaps?: Gaps;
}

/** bisection, to within 5 % of the highest rate that meets the service level */
interface BisectArrivals {
  readonly kind: "bisect";
  /** a rate that is expected to hold */
  readonly lowPerSecond: Rate;
  /** a rate that is expected to fail */
  readonly highPerSecond: Rate;
  /** seconds for each rate */
  readonly secondsPerProbe: Positive;
  /**
   * rates tried at most
   * @asType integer
   * @minimum 2
   */
  readonly maxProbes?: number;
  /** even or poisson: how gaps between requests are drawn */
  readonly gaps?: Gaps;
}

/** rising numbers of requests in flight, one after the other: the curve of tokens a second in all against those of one user */
interface ConcurrencySweepArrivals {
  readonly kind: "concurrency-sweep";
  /**
   * the numbers, rising
   * @minItems 2
   */
  readonly concurrencies: readonly Concurrency[];
  /** seconds for each number */
  readonly secondsPerLevel: Positive;
}

/** conversations; each turn is sent with the whole history */
interface SessionsArrivals {
  readonly kind: "sessions";
  /** requests a second */
  readonly ratePerSecond: Rate;
  /** turns of a conversation: a length */
  readonly turns: Length;
  /** seconds between an answer and the next turn: a length */
  readonly thinkSeconds: Length;
}

/** One rate of several. */
interface RateStep {
  /** requests a second */
  readonly ratePerSecond: Rate;
  /** length of the step */
  readonly seconds: Positive;
}

/**
 * @exclusiveMinimum 0
 * @maximum 100000
 */
type Rate = number;

/** @exclusiveMinimum 0 */
type Positive = number;

/** @minimum 0 */
type NotNegative = number;

/**
 * @asType integer
 * @minimum 1
 * @maximum 20000
 */
type Concurrency = number;
