import type { LoadRecord } from "../samples/load-record.ts";
import { collectFigures } from "../statistics/collect-figures.ts";
import { selectRecords } from "../samples/select-records.ts";
import { rankCorrelation } from "../statistics/rank-correlation.ts";
import { nearestRank } from "../statistics/nearest-rank.ts";

export type QueueRecord = Pick<
  LoadRecord,
  "endpoint" | "outcome" | "sentMs" | "headersMs" | "firstTokenMs" | "answeredMs" | "endMs" | "contentEvents"
>;

/** Streams below which nothing is said, and how many of them must have found others waiting. */
export const leastWaits = 20;
const leastBehind = 10;
/** Enough for any of these figures, and a million streams would take seconds. */
const mostJudged = 50_000;
/** A queue costs at least so much, in all and for each request ahead: less is what a processor takes for a burst. */
const leastCostMs = 50;
const leastCostEachMs = 5;
const leastShareOfFirstToken = 0.2;

/**
 * Streams that waited in line for their response head. A queue is more than a slow head; five things must hold together:
 *
 * - a request that finds more requests of the endpoint without a head waits longer for its own (rank correlation);
 * - heads come in the order of the sends, which they do not where each request is slow by itself, and one after the other,
 *   which they do not when a machine wakes from a pause;
 * - where the gaps between sends differ, heads do not keep these gaps: a server that is slow for a while passes them on;
 * - the wait is worth the name, and so is the part of each request ahead;
 * - after the head the answer is as fast as ever: a model that is slow under load is slow there too.
 *
 * `all` holds every request of the profile, for they stand in line whatever became of them. If the number ahead hardly changes
 * (a closed loop) nothing can be concluded. Null when there is no queue.
 */
export function findQueue(
  streams: readonly QueueRecord[],
  all: readonly QueueRecord[],
): { readonly count: number; readonly outOf: number } | null {
  for (const endpoint of new Set(streams.map((record) => record.endpoint))) {
    const subjects = selectRecords(
      streams,
      (record) => record.endpoint === endpoint && record.headersMs !== null && record.firstTokenMs !== null,
    ).toSorted((a, b) => a.sentMs - b.sentMs);
    if (subjects.length < leastWaits) continue;
    const ahead = countAhead(
      subjects,
      selectRecords(all, (record) => record.endpoint === endpoint && record.outcome !== "not-sent"),
    );
    const usualMs = judgeLine(stretchOf(ahead).map((place) => placeOf(subjects[place], ahead[place])));
    if (usualMs === null) continue;
    const isLate = (record: QueueRecord, place: number): boolean =>
      (ahead[place] ?? 0) > 0 && (record.headersMs ?? 0) - record.sentMs >= usualMs + leastCostMs;
    return { count: subjects.filter(isLate).length, outOf: subjects.length };
  }
  return null;
}

/** One stream among those that were sent before it. */
interface Place {
  readonly sentMs: number;
  readonly headersMs: number;
  readonly waitMs: number;
  /** Requests without a head when it was sent. */
  readonly ahead: number;
  readonly firstTokenMs: number;
  /** From the head to the first token, and on average from one event to the next. */
  readonly modelMs: number;
  readonly paceMs: number;
}

/** Of every stream: the requests that had been sent before it and had no head when it was sent. */
function countAhead(subjects: readonly QueueRecord[], all: readonly QueueRecord[]): Uint32Array {
  const sends = sortedInstants(all, (record) => record.sentMs);
  const heads = sortedInstants(all, (record) => record.headersMs ?? record.endMs);
  let sent = 0;
  let answered = 0;
  const ahead = new Uint32Array(subjects.length);
  for (const [place, { sentMs }] of subjects.entries()) {
    while (sent < sends.length && (sends[sent] ?? 0) < sentMs) sent += 1;
    while (answered < heads.length && (heads[answered] ?? 0) <= sentMs) answered += 1;
    ahead[place] = Math.max(0, sent - answered);
  }
  return ahead;
}

function sortedInstants(records: readonly QueueRecord[], instant: (record: QueueRecord) => number): Float64Array {
  return collectFigures(records, instant).sort();
}

/** Positions that are looked at closely: all, or as many as show enough where the line was longest. */
function stretchOf(ahead: Uint32Array): readonly number[] {
  const length = Math.min(ahead.length, mostJudged);
  const longest = ahead.indexOf(ahead.reduce((most, count) => Math.max(most, count), 0));
  const from = Math.max(0, Math.min(longest - Math.floor(length / 2), ahead.length - length));
  return Array.from({ length }, (_, offset) => from + offset);
}

function placeOf(record: QueueRecord | undefined, ahead = 0): Place {
  const { sentMs = 0, headersMs, firstTokenMs, answeredMs = 0, contentEvents = 0 } = record ?? {};
  const headMs = headersMs ?? sentMs;
  const tokenMs = firstTokenMs ?? headMs;
  return {
    sentMs,
    headersMs: headMs,
    waitMs: headMs - sentMs,
    ahead,
    firstTokenMs: tokenMs - sentMs,
    modelMs: tokenMs - headMs,
    paceMs: (answeredMs - tokenMs) / Math.max(1, contentEvents - 1),
  };
}

/** The usual wait of a request that finds few ahead; null when this is no queue. */
function judgeLine(line: readonly Place[]): number | null {
  const behind = line.filter((place) => place.ahead > 0);
  if (behind.length < leastBehind || new Set(behind.map((place) => place.ahead)).size < 3) return null;
  const grows = rankCorrelation(
    behind.map((place) => place.ahead),
    behind.map((place) => place.waitMs),
  );
  if (grows < 0.5 || !keepsOrder(line)) return null;
  const byAhead = line.toSorted((a, b) => a.ahead - b.ahead);
  const short = byAhead.slice(0, Math.ceil(line.length / 3));
  const long = behind.toSorted((a, b) => a.ahead - b.ahead).slice(-Math.ceil(behind.length / 3));
  const usual = middles(short);
  const late = middles(long);
  const costMs = late.waitMs - usual.waitMs;
  if (costMs < Math.max(leastCostMs, leastShareOfFirstToken * usual.firstTokenMs)) return null;
  if (costMs < leastCostEachMs * (late.ahead - usual.ahead)) return null;
  if (late.modelMs > 1.5 * usual.modelMs + 10 || late.paceMs > 1.5 * usual.paceMs + 5) return null;
  return usual.waitMs;
}

/** Whether heads come in the order of the sends, one by one and at a pace of their own. */
function keepsOrder(line: readonly Place[]): boolean {
  const gaps: number[] = [];
  const growths: number[] = [];
  const spacings: number[] = [];
  let overtaken = 0;
  for (let index = 1; index < line.length; index += 1) {
    const [before, place] = [line[index - 1], line[index]];
    if (before === undefined || place === undefined || before.headersMs <= place.sentMs) continue;
    gaps.push(place.sentMs - before.sentMs);
    growths.push(place.waitMs - before.waitMs);
    spacings.push(place.headersMs - before.headersMs);
    if (place.headersMs < before.headersMs) overtaken += 1;
  }
  if (overtaken > 0.1 * gaps.length) return false;
  if ((nearestRank(spacings, 50) ?? 0) < leastCostEachMs) return false;
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
  const spread = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length);
  // Even gaps say nothing of this.
  return spread < 0.3 * mean || rankCorrelation(gaps, growths) <= -0.3;
}

function middles(places: readonly Place[]): Omit<Place, "sentMs" | "headersMs"> {
  const middle = (value: (place: Place) => number): number => nearestRank(places.map(value), 50) ?? 0;
  return {
    waitMs: middle((place) => place.waitMs),
    ahead: middle((place) => place.ahead),
    firstTokenMs: middle((place) => place.firstTokenMs),
    modelMs: middle((place) => place.modelMs),
    paceMs: middle((place) => place.paceMs),
  };
}
