/**
 * Source of time for everything that measures or waits. Real on real targets; where the manifest gives the control plane
 * of a virtual clock, `sleep` advances that clock and shifts `nowMs` and `wallMs` by the same amount.
 */
export interface Clock {
  /** Monotonic milliseconds with fraction since the start of the run. */
  nowMs(): number;
  /** Unix milliseconds. */
  wallMs(): number;
  /**
   * By how much the clock of the target may be ahead of `nowMs`: while it is being moved nobody here knows whether it has moved
   * yet. An instant of sending is `nowMs`, one of receipt `nowMs + leadMs`. Absent: never ahead.
   */
  leadMs?(): number;
  /** Resolves after `ms`; rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
