/** A level that is tried: requests a second, or requests in flight. */
export interface SearchTrial {
  readonly level: number;
  readonly seconds: number;
  /** A loop ends with so many requests, if its time is not over before. */
  readonly requests?: number;
}
