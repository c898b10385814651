import type { Length } from "./length.ts";

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

/** How gaps between sends are drawn where a rate is given. */
export type Gaps = "even" | "poisson";

/** evenly spaced; the first request half a gap after the start */
export interface ConstantArrivals {
  readonly kind: "constant";
  /** requests a second */
  readonly ratePerSecond: Rate;
}

/** at random, with exponential gaps (a Poisson process) */
export interface PoissonArrivals {
  readonly kind: "poisson";
  /** requests a second */
  readonly ratePerSecond: Rate;
}

/** at random, with gamma gaps; a shape below 1 makes bursts (coefficient of variation 1/sqrt(shape)) */
export interface GammaArrivals {
  readonly kind: "gamma";
  /** requests a second */
  readonly ratePerSecond: Rate;
  /** shape of the gamma distribution */
  readonly shape: Positive;
}

/** from one rate to another in a straight line */
export interface RampArrivals {
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
export interface StepsArrivals {
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
export interface SpikeArrivals {
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

/** many requests at one instant, then a pause */
export interface BurstsArrivals {
  readonly kind: "bursts";
  /**
   * the bursts in the order of their instants
   * @minItems 1
   */
  readonly bursts: readonly Burst[];
  /** milliseconds over which a burst is spread */
  readonly spreadMs?: NotNegative;
  /**
   * sends one request this long before, and one this long after, the end of the minute that began with the last burst
   * @exclusiveMinimum 0
   * @maximum 30000
   */
  readonly edgeMs?: number;
}

/** a fixed number of requests in flight; the next is sent when one is answered (closed loop) */
export interface ClosedArrivals {
  readonly kind: "closed";
  /** requests in flight */
  readonly concurrency: Concurrency;
  /** milliseconds between an answer and the next request */
  readonly thinkMs?: NotNegative;
  /**
   * over how long the requests of the loop begin, so that streams do not tick together; a fortieth of the loop, half a second at
   * most, unless it is given
   * @minimum 0
   * @maximum 3600
   */
  readonly rampSeconds?: number;
}

/** rising rates, until two in a row miss the service level */
export interface SweepArrivals {
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
export interface BisectArrivals {
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

/** looks for the highest rate or concurrency at which the gates hold, or 95 % of the answers meet the service level */
export interface CapacitySearchArrivals {
  readonly kind: "capacity-search";
  /** the level: requests a second at random instants, or requests in flight */
  readonly of: "rate" | "concurrency";
  /**
   * the first level
   * @exclusiveMinimum 0
   * @maximum 100000
   * @default 1
   */
  readonly from?: number;
  /**
   * the highest level that may be tried
   * @exclusiveMinimum 0
   * @maximum 100000
   * @default 128
   */
  readonly to?: number;
  /**
   * the search ends when its 95 % interval reaches this far to each side of the level, as a fraction of it
   * @minimum 0.005
   * @maximum 0.5
   * @default 0.05
   */
  readonly precision?: number;
  /**
   * requests of all trials together
   * @asType integer
   * @minimum 100
   * @maximum 10000000
   * @default 10000
   */
  readonly maxRequests?: number;
  /**
   * time of all trials together
   * @exclusiveMinimum 0
   * @maximum 604800
   * @default 3600
   */
  readonly maxSeconds?: number;
  /**
   * requests of one trial
   * @asType integer
   * @minimum 20
   * @maximum 1000000
   * @default 200
   */
  readonly leastRequests?: number;
  /**
   * length of one trial at a rate; several times as long as an answer takes
   * @exclusiveMinimum 0
   * @maximum 86400
   * @default 10
   */
  readonly leastSeconds?: number;
}

/** rising numbers of requests in flight, one after the other: the curve of tokens a second in all against those of one user */
export interface ConcurrencySweepArrivals {
  readonly kind: "concurrency-sweep";
  /**
   * the numbers, rising
   * @minItems 2
   */
  readonly concurrencies: readonly Concurrency[];
  /** seconds for each number */
  readonly secondsPerLevel: Positive;
}

/** the instants of a recorded trace */
export interface TraceArrivals {
  readonly kind: "trace";
  /**
   * path, relative to the profile
   * @minLength 1
   */
  readonly file: string;
  /** form of the file: see the load guide */
  readonly format: TraceFormat;
  /**
   * 2 replays twice as fast
   * @exclusiveMinimum 0
   */
  readonly speed?: number;
  /**
   * tokens of a block that an id in hash_ids of a Mooncake trace stands for
   * @asType integer
   * @minimum 1
   * @maximum 1000000
   */
  readonly blockTokens?: number;
  /** unit of timestamp and delay of a Mooncake trace; milliseconds unless it is given */
  readonly timeUnit?: "ms" | "s";
}

/** conversations; each turn is sent with the whole history */
export interface SessionsArrivals {
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

/** requests that are sent together */
export interface Burst {
  /** seconds from the beginning of the profile */
  readonly at: NotNegative;
  /**
   * requests: a number, or limit, limit+1, limit-1, 2*limit+1 of the declared request limit, or the same of burst, the
   * burst_limit of the key below restore.keys
   */
  readonly size: Count | SizeByLimit;
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

/**
 * @asType integer
 * @minimum 0
 */
type Count = number;

/** @pattern ^([1-9]\*)?(limit|burst)([+-][0-9]+)?$ */
type SizeByLimit = string;

export type TraceFormat = "jsonl" | "mooncake" | "azure" | "burstgpt";
