/** the instants of a recorded trace */
export interface TraceArrivals {
  readonly kind: "trace";
  /**
   * path, relative to the profile
   * @minLength 1
   */
  readonly file: string;
  /** form of the file: see the load guide */
  readonly format: "jsonl" | "mooncake" | "azure" | "burstgpt";
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
  /** unit of timestamp and delay of a Mooncake trace, default ms */
  readonly timeUnit?: "ms" | "s";
}
