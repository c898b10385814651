/** Hands on an estimate once it stands: a figure that is still moving says nothing. */
export interface SteadyEstimate {
  /** The time left, or null if the end that it foresees moved lately, or was not known. */
  settle(nowMs: number, leftMs: number | null): number | null;
}

/** The end may have moved by so much of the whole in the last third of the time. */
const mostMoved = 0.15;
/** Fewer estimates may agree by chance. */
const leastEstimates = 10;

export function createSteadyEstimate(startMs: number): SteadyEstimate {
  let estimates: { readonly atMs: number; readonly endMs: number | null }[] = [];
  return {
    settle: (nowMs, leftMs) => {
      const endMs = leftMs === null ? null : nowMs + leftMs;
      const sinceMs = startMs + (2 / 3) * (nowMs - startMs);
      estimates = [...estimates.filter(({ atMs }) => atMs >= sinceMs), { atMs: nowMs, endMs }];
      if (endMs === null || estimates.length < leastEstimates) return null;
      const moved = estimates.map((one) => (one.endMs === null ? Number.POSITIVE_INFINITY : Math.abs(one.endMs - endMs)));
      return Math.max(...moved) <= mostMoved * (endMs - startMs) ? leftMs : null;
    },
  };
}
