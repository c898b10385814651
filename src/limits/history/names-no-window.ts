import type { GroupView } from "./group-view.ts";
import type { Tolerances } from "./tolerances.ts";

/**
 * Whether labels follow each other more closely than windows do, by more than clocks and rounding explain, at least so many times: each is
 * then the instant at which a count that refills or slides is whole again, and nothing is given back there at once.
 */
export function namesNoWindow(
  labelsMs: readonly (number | null)[],
  { windowMs, clockMs, granularityMs, fuzzMs }: Tolerances,
  times: number,
): boolean {
  const apartMs = clockMs + granularityMs + fuzzMs;
  const sorted = [...new Set(labelsMs)].filter((label) => label !== null).sort((a, b) => a - b);
  let count = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  for (const label of sorted) {
    if (label - lastMs <= apartMs) continue;
    if (label - lastMs < windowMs / 2) count += 1;
    lastMs = label;
  }
  return count >= times;
}

/** Fewer may come of clocks that were set meanwhile. */
const fewestLabels = 3;

/** Whether no window can have begun or ended in the history: its labels lie closer together than windows. */
export function hasNoWindows({ admitted, limit, tolerances }: GroupView): boolean {
  const labels = admitted.flatMap(({ requests }) => (requests.limit === limit ? [requests.resetMs] : []));
  return namesNoWindow(labels, tolerances, fewestLabels);
}
