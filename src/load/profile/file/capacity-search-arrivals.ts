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
