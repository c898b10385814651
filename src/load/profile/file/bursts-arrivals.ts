/** many requests at one instant, then a pause */
export interface BurstsArrivals {
  readonly kind: "bursts";
  /**
   * the bursts in the order of their instants
   * @minItems 1
   */
  readonly bursts: readonly Burst[];
  /**
   * milliseconds over which a burst is spread
   * @minimum 0
   */
  readonly spreadMs?: number;
  /**
   * sends a request this long before, and after, the end of the minute that began with the last burst
   * @exclusiveMinimum 0
   * @maximum 30000
   */
  readonly edgeMs?: number;
}

/** requests that are sent together */
interface Burst {
  /**
   * seconds from the beginning of the profile
   * @minimum 0
   */
  readonly at: number;
  /**
   * requests: a number, or limit, limit+1, limit-1, 2*limit+1 of the declared request limit, or the same of burst, the burst_limit below restore.keys
   */
  readonly size: Count | SizeByLimit;
}

/**
 * @asType integer
 * @minimum 0
 */
type Count = number;

/** @pattern ^([1-9]\*)?(limit|burst)([+-][0-9]+)?$ */
type SizeByLimit = string;
