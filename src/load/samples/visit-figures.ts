import type { LoadMetric } from "../../core/result/load-figures.ts";
import type { LoadRecord } from "./load-record.ts";

/** `estimated`: from chunks in place of tokens. `at-least`: nobody waited for the end, which lies beyond this value. */
export type Certainty = "exact" | "estimated" | "at-least";

/** Gets one figure in milliseconds or tokens per second. A callback, not an iterator: there may be millions. */
export type VisitFigure = (metric: LoadMetric, value: number, certainty: Certainty) => void;

/**
 * Every figure that one record contributes to distributions. Of an answer that we cut off: the instants that came before the
 * cut, and none that needs its end. Of one that was given up at the time-out: so too, and of each figure that did not come the least
 * that it would have been, since an answer that takes longer than the time-out is longer than that. Of a client that goes away on
 * purpose: how it was sent, and nothing of its answer.
 */
export function visitFigures(record: LoadRecord, visit: VisitFigure): void {
  if (record.outcome === "not-sent") return;
  const isCut = record.outcome === "interrupted";
  const isGivenUp = record.outcome === "timed-out";
  // It may have waited for a connection still.
  const isConnected = !(isCut || isGivenUp || record.outcome === "left") || record.reusedConnection !== null;
  if (isCut && !isConnected) return;
  const { sentMs } = record;
  if (isConnected && record.attempt === 1) visit("dispatch-delay", Math.max(0, sentMs - record.intendedMs), "exact");
  if (isConnected && record.attempt === 1 && record.reusedConnection === false)
    visit("connect", sentMs - record.issuedMs, "exact");
  if (record.outcome === "left") return;
  if (record.firstByteMs !== null) visit("ttfb", record.firstByteMs - sentMs, "exact");
  if (record.firstEventMs !== null) visit("ttfe", record.firstEventMs - sentMs, "exact");
  if (record.firstTokenMs !== null) visit("ttft", record.firstTokenMs - sentMs, "exact");
  if (record.firstOutputMs !== null) visit("ttfo", record.firstOutputMs - sentMs, "exact");
  if (record.arrivals > 1) visitGaps(record, visit);
  if (isGivenUp) visitMissing(record, visit);
  if (isCut || isGivenUp) return;
  visitEnd(record, visit);
}

/** Figures that need the end of an answer. */
function visitEnd(record: LoadRecord, visit: VisitFigure): void {
  const { sentMs, answeredMs } = record;
  visit("service-latency", answeredMs - sentMs, "exact");
  visit("user-latency", answeredMs - record.intendedMs, "exact");
  if (record.longestGapMs !== null) visit("longest-stall", record.longestGapMs, "exact");
  if (record.tpotMs !== null) visit("tpot", record.tpotMs, record.tpotEstimated ? "estimated" : "exact");
  if (record.outputTokens !== null && record.stream !== null && answeredMs > sentMs) {
    const perSecond = (1000 * (record.outputTokens - (record.hiddenTokens ?? 0))) / (answeredMs - sentMs);
    visit("tokens-per-second", perSecond, record.hiddenTokens === null ? "estimated" : "exact");
  }
}

/** Figures that had not come when the request was given up: the least that each can be. */
function visitMissing(record: LoadRecord, visit: VisitFigure): void {
  const waitedMs = Math.max(0, record.endMs - record.sentMs);
  if (record.firstByteMs === null) visit("ttfb", waitedMs, "at-least");
  visit("service-latency", waitedMs, "at-least");
  visit("user-latency", Math.max(waitedMs, record.endMs - record.intendedMs), "at-least");
  if (record.stream === null) return;
  if (record.firstEventMs === null) visit("ttfe", waitedMs, "at-least");
  if (record.firstTokenMs === null) visit("ttft", waitedMs, "at-least");
  if (record.firstOutputMs === null) visit("ttfo", waitedMs, "at-least");
  // The gap that was open at the end; of a stream whose arrivals were not all kept the last content stands for the last of them.
  const lastMs = Math.max(record.groups.at(-1)?.atMs ?? 0, record.answeredMs < record.endMs ? record.answeredMs : 0);
  const openMs = record.arrivals > 0 ? Math.max(0, record.endMs - lastMs) : 0;
  if (record.arrivals > 0) visit("inter-chunk", openMs, "at-least");
  visit("longest-stall", Math.max(openMs, record.longestGapMs ?? 0), "at-least");
  // The rest may come at any speed.
  visit("tpot", 0, "at-least");
  visit("tokens-per-second", 0, "at-least");
}

/**
 * Gaps between arrivals. Chunks of one network read are one arrival, so no gap of zero is made up; a gap is spread over the
 * tokens that ended it, by `usage` where it counts up in the chunks and by chunks, marked as estimated, elsewhere.
 */
function visitGaps(record: LoadRecord, visit: VisitFigure): void {
  const certainty = record.stream?.continuousUsage === true ? "exact" : "estimated";
  let beforeMs: number | null = null;
  for (const group of record.groups) {
    if (beforeMs !== null) {
      const gap = group.atMs - beforeMs;
      visit("inter-chunk", gap, "exact");
      const tokens = group.tokens ?? group.events;
      for (let token = 0; token < Math.min(tokens, 1000); token += 1) visit("inter-token", gap / tokens, certainty);
    }
    beforeMs = group.atMs;
  }
}
