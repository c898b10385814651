import type { ProgressState } from "./progress-state.ts";

/** Below it the cases under way, which count when they end, decide the estimate. */
const leastShare = 0.25;

/**
 * Real time until the stage ends: what is left of the time that its plan knows, or as long for each request to come as for those
 * that were sent, whichever is longer. Null while nothing is known.
 */
export function remainingMs({ stageStartedMs, plannedMs, reached }: ProgressState, nowMs: number): number | null {
  const planned = plannedMs === null ? null : stageStartedMs + plannedMs - nowMs;
  const paced =
    reached === null || reached.share < leastShare
      ? null
      : (reached.atMs - stageStartedMs) / reached.share - (nowMs - stageStartedMs);
  if (planned === null && paced === null) return null;
  return Math.max(0, planned ?? 0, paced ?? 0);
}
