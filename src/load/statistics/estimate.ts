import type { PercentileEstimate } from "../../core/result/load-figures.ts";

/** A figure with its 95 % interval. */
export type Estimate = Omit<PercentileEstimate, "percentile"> & Bounded;

export interface Bounded {
  /**
   * The place of the figure as far as the values show it: the interval, or wider bounds where none can be stated. Infinite where they
   * show nothing.
   */
  readonly bounds: { readonly least: number; readonly most: number };
}
