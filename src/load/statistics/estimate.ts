import type { PercentileEstimate } from "../../core/result/load-figures.ts";

/** A figure with its 95 % interval. */
export type Estimate = Omit<PercentileEstimate, "percentile"> & Bounded;

/** So many effective samples of the percentile `q`, the extremes of all, and their mean. */
export interface TailBound {
  readonly largest: number;
  readonly smallest: number;
  readonly mean: number;
  readonly effective: number;
  readonly q: number;
}

export interface Bounded {
  /**
   * The place of the figure as far as the values show it: the interval, or wider bounds where none can be stated. Infinite where they
   * show nothing.
   */
  readonly bounds: {
    readonly least: number;
    readonly most: number;
    /** The upper one follows from the tail above the largest sample. */
    readonly tail?: TailBound;
  };
}
