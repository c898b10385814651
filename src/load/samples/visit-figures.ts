import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { LoadRecord } from "./load-record.ts";

/** Gets one figure in milliseconds or tokens per second. A callback, not an iterator: there may be millions. */
export type VisitFigure = (metric: LoadMetric, value: number, estimated: boolean) => void;

/**
 * Every figure that one record contributes to distributions. Of an answer that we cut off: the instants that came before the
 * cut, and none that needs its end.
 */
export function visitFigures(record: LoadRecord, visit: VisitFigure): void {
  if (record.outcome === "not-sent") return;
  const cut = record.outcome === "interrupted";
  // It may have waited for a connection still.
  if (cut && record.reusedConnection === null) return;
  const { sentMs, answeredMs } = record;
  if (record.attempt === 1) visit("dispatch-delay", Math.max(0, sentMs - record.intendedMs), false);
  if (record.attempt === 1 && record.reusedConnection === false) visit("connect", sentMs - record.issuedMs, false);
  if (record.firstByteMs !== null) visit("ttfb", record.firstByteMs - sentMs, false);
  if (record.firstEventMs !== null) visit("ttfe", record.firstEventMs - sentMs, false);
  if (record.firstTokenMs !== null) visit("ttft", record.firstTokenMs - sentMs, false);
  if (record.firstOutputMs !== null) visit("ttfo", record.firstOutputMs - sentMs, false);
  if (record.arrivals > 1) visitGaps(record, visit);
  if (cut) return;
  visit("service-latency", answeredMs - sentMs, false);
  visit("user-latency", answeredMs - record.intendedMs, false);
  if (record.tpotMs !== null) visit("tpot", record.tpotMs, record.tpotEstimated);
  if (record.outputTokens !== null && record.stream !== null && answeredMs > sentMs) {
    visit("tokens-per-second", (1000 * record.outputTokens) / (answeredMs - sentMs), record.tokensEstimated);
  }
}

/**
 * Gaps between arrivals. Chunks of one network read are one arrival, so no gap of zero is made up; a gap is spread over the
 * tokens that ended it, by `usage` where it counts up in the chunks and by chunks, marked as estimated, elsewhere.
 */
function visitGaps(record: LoadRecord, visit: VisitFigure): void {
  const estimated = record.stream?.continuousUsage !== true;
  let beforeMs: number | null = null;
  for (const group of record.groups) {
    if (beforeMs !== null) {
      const gap = group.atMs - beforeMs;
      visit("inter-chunk", gap, false);
      const tokens = group.tokens ?? group.events;
      for (let token = 0; token < Math.min(tokens, 1000); token += 1) visit("inter-token", gap / tokens, estimated);
    }
    beforeMs = group.atMs;
  }
  // A longer one may have been under way.
  if (record.outcome !== "interrupted" && record.longestGapMs !== null) visit("longest-stall", record.longestGapMs, false);
}
