/** Figures of the traffic of a profile for gates on limits. Null where nothing was seen that could have shown one. */
export interface LimitFigures {
  /** `limits.over_admission`: requests admitted beyond what any lawful window can hold, as far as certificates prove them. */
  readonly over_admission: number | null;
  /** `limits.violations`: checks that failed. */
  readonly violations: number | null;
}
