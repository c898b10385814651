import { ascending, countBelow, countUpTo } from "../../core/sorted.ts";

/**
 * Counts closed intervals that certainly or possibly fall into a span. An interval is certain when both ends are inside,
 * possible when it overlaps.
 */
export interface IntervalCounter {
  possible(fromMs: number, toMs: number): number;
  startedUpTo(ms: number): number;
  endedBefore(ms: number): number;
}

export function countIntervals(intervals: readonly { readonly sentMs: number; readonly headersMs: number }[]): IntervalCounter {
  const starts = ascending(intervals.map((interval) => interval.sentMs));
  const ends = ascending(intervals.map((interval) => interval.headersMs));
  return {
    // An interval that starts by the end of the span overlaps it unless it ended before the span began.
    possible: (fromMs, toMs) => (toMs < fromMs ? 0 : countUpTo(starts, toMs) - countBelow(ends, fromMs)),
    startedUpTo: (ms) => countUpTo(starts, ms),
    endedBefore: (ms) => countBelow(ends, ms),
  };
}
