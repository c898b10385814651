import type { LaterRequests, LeavingCount } from "../../core/result/leaving-count.ts";
import { nearestRank } from "../statistics/nearest-rank.ts";
import { rankCorrelation } from "../statistics/rank-correlation.ts";
import { reportedPercentile } from "../statistics/percentile-estimate.ts";
import type { LoadRecord } from "./load-record.ts";

/**
 * Slots stay taken where requests wait the longer, the more answers that were left would still be under way. That hangs together by ranks
 * with so many standard deviations, the number of requests in flight held fixed (neighbours depend on each other: few mean nothing), and
 * the half that met more of them waits longer by so much of the time that a whole answer takes, and by more than a few tokens: a server
 * that looks for its client between two of them gives a slot back a little later, and one that never looks holds it for the rest of the
 * answer.
 */
const leastScore = 4;
const leastOfAnswer = 0.08;
const leastTokens = 2;
const leastRequests = 40;
/** Enough for any of this. */
const mostJudged = 50_000;

/**
 * Clients that went away, and how the target served the requests that came after them. `all` are the records of the whole profile. Null
 * where no client did.
 */
export function describeLeaving(measured: readonly LoadRecord[], all: readonly LoadRecord[]): LeavingCount | null {
  const clients = measured.filter(({ outcome }) => outcome === "left");
  if (clients.length === 0) return null;
  const gone = clients.filter(hasLeft);
  const subjects = placeLater(measured, all);
  const [few, many] = splitLater(subjects);
  return {
    clients: clients.length,
    left: gone.length,
    beforeHead: gone.filter(({ status }) => status === null).length,
    events: gone.reduce((sum, { contentEvents }) => sum + contentEvents, 0),
    few: describeLater(few),
    many: describeLater(many),
    streaming: countStreaming(all),
    keepsSlots: waitsLonger(subjects, few, many, leastLongerMs(measured)),
  };
}

/** Whether the client went before its answer had ended. */
export function hasLeft({ outcome, stream }: LoadRecord): boolean {
  return outcome === "left" && stream?.finished !== true;
}

/** A request among those before it. */
interface Later {
  readonly record: LoadRecord;
  /** Answers that were left and would still be under way, by the usual length of an answer. */
  readonly left: number;
  readonly inFlight: number;
}

function placeLater(measured: readonly LoadRecord[], all: readonly LoadRecord[]): readonly Later[] {
  const sent = all.filter(({ endpoint, outcome }) => endpoint === "chat" && outcome !== "not-sent");
  const usualMs = wholeMs(measured) ?? 0;
  const gone = sent.filter((record) => hasLeft(record) && record.endMs < record.sentMs + usualMs);
  const leftAt = countAt(gone.map(({ sentMs, endMs }) => [endMs, sentMs + usualMs] as const));
  const flyingAt = countAt(sent.map(({ sentMs, endMs }) => [sentMs, endMs] as const));
  return measured
    .filter((record) => record.endpoint === "chat" && record.attempt === 1 && (isServed(record) || isRefused(record)))
    .slice(-mostJudged)
    .map((record) => ({ record, left: leftAt(record.sentMs), inFlight: flyingAt(record.sentMs) }));
}

/** How many of these spans hold an instant. */
function countAt(spans: readonly (readonly [fromMs: number, toMs: number])[]): (atMs: number) => number {
  const begins = Float64Array.from(spans, ([fromMs]) => fromMs).sort();
  const ends = Float64Array.from(spans, ([, toMs]) => toMs).sort();
  return (atMs) => countUpTo(begins, atMs) - countUpTo(ends, atMs);
}

function countUpTo(sorted: Float64Array, value: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The half that met fewer answers which were left, and the half that met more. */
function splitLater(subjects: readonly Later[]): readonly [few: readonly Later[], many: readonly Later[]] {
  const ordered = subjects.toSorted((one, other) => one.left - other.left);
  const half = ordered.length >> 1;
  return [ordered.slice(0, half), ordered.slice(half)];
}

function describeLater(later: readonly Later[]): LaterRequests {
  return {
    requests: later.length,
    met: later.length === 0 ? 0 : later.reduce((sum, { left }) => sum + left, 0) / later.length,
    refused: later.filter(({ record }) => isRefused(record)).length,
    ttftP50: reportedPercentile(waitsOf(later), 50),
  };
}

function waitsOf(later: readonly Later[]): readonly number[] {
  return later.flatMap(({ record }) => {
    const ms = firstTokenOf(record);
    return ms === null ? [] : [ms];
  });
}

function firstTokenOf(record: LoadRecord): number | null {
  return isServed(record) && record.firstTokenMs !== null ? record.firstTokenMs - record.sentMs : null;
}

function isServed({ outcome }: LoadRecord): boolean {
  return outcome === "ok" || outcome === "left";
}

function isRefused({ status }: LoadRecord): boolean {
  return status === 429 || status === 503;
}

/** The usual length of an answer that was read to its end. */
function wholeMs(measured: readonly LoadRecord[]): number | null {
  const whole = measured.filter(({ endpoint, outcome }) => endpoint === "chat" && outcome === "ok");
  return nearestRank(
    whole.map(({ answeredMs, sentMs }) => answeredMs - sentMs),
    50,
  );
}

function leastLongerMs(measured: readonly LoadRecord[]): number | null {
  const answerMs = wholeMs(measured);
  if (answerMs === null) return null;
  const tokenMs = nearestRank(
    measured.flatMap(({ outcome, tpotMs }) => (outcome === "ok" && tpotMs !== null ? [tpotMs] : [])),
    50,
  );
  return Math.max(leastOfAnswer * answerMs, leastTokens * (tokenMs ?? 0));
}

function waitsLonger(
  subjects: readonly Later[],
  few: readonly Later[],
  many: readonly Later[],
  leastMs: number | null,
): boolean | null {
  const served = subjects.filter(({ record }) => firstTokenOf(record) !== null);
  const [usual, longer] = [nearestRank(waitsOf(few), 50), nearestRank(waitsOf(many), 50)];
  if (served.length < leastRequests || leastMs === null || usual === null || longer === null) return null;
  const waits = waitsOf(served);
  const left = served.map((each) => each.left);
  const inFlight = served.map((each) => each.inFlight);
  const [ofLeft, ofBoth, ofFlight] = [
    rankCorrelation(waits, left),
    rankCorrelation(left, inFlight),
    rankCorrelation(waits, inFlight),
  ];
  const partial = (ofLeft - ofBoth * ofFlight) / Math.sqrt((1 - ofBoth ** 2) * (1 - ofFlight ** 2));
  return longer - usual >= leastMs && partial * Math.sqrt(served.length - 3) >= leastScore;
}

/** A slot that is never given back is missing at the end. */
function countStreaming(all: readonly LoadRecord[]): LeavingCount["streaming"] {
  const sent = all.filter(({ outcome }) => outcome !== "not-sent");
  const fromMs = sent.reduce((least, { sentMs }) => Math.min(least, sentMs), Infinity);
  // As a load ends, fewer and fewer requests are there.
  const toMs = sent.reduce((most, { sentMs }) => Math.max(most, sentMs), -Infinity);
  const third = (toMs - fromMs) / 3;
  if (!(third > 0)) return null;
  const mean = (beginMs: number): number =>
    sent.reduce((sum, { firstTokenMs, endMs }) => {
      if (firstTokenMs === null) return sum;
      return sum + Math.max(0, Math.min(endMs, beginMs + third) - Math.max(firstTokenMs, beginMs));
    }, 0) / third;
  return { first: mean(fromMs), last: mean(toMs - third) };
}
