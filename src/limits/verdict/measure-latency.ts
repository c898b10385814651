import type { LimitLatencies, LimitTimelineOp } from "../../core/result/limits-result.ts";

/** How long answers and refusals of a policy took until their heads arrived; absent kinds are null. */
export function measureLatencies(ops: readonly LimitTimelineOp[]): LimitLatencies {
  const of = (lane: LimitTimelineOp["lane"]): LimitLatencies["served"] => {
    const times = ops.flatMap(({ lane: own, sentMs, headersMs }) =>
      own === lane && headersMs !== null ? [headersMs - sentMs] : [],
    );
    if (times.length === 0) return null;
    const inOrder = times.toSorted((a, b) => a - b);
    // The nearest rank: a time that was measured.
    const at = (percent: number): number => Math.round(inOrder[Math.ceil((percent / 100) * inOrder.length) - 1] ?? 0);
    return { count: inOrder.length, p50Ms: at(50), p99Ms: at(99) };
  };
  return { served: of("admitted"), refused: of("rejected") };
}
