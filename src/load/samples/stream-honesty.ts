import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { findQueue, leastWaits } from "../statistics/find-queue.ts";
import type { LoadRecord } from "./load-record.ts";
import { selectRecords } from "./select-records.ts";
import type { ObservationId } from "./observation-ids.ts";
import { rankCorrelation } from "../statistics/rank-correlation.ts";

export type StreamObservation = LoadProfileResult["observations"][number] & { readonly id: ObservationId };

/**
 * Names what is wrong with the way streams arrive. These are observations with their counts, not verdicts: the
 * specification asks for no pace. Records of tainted seconds must be left out by the caller, a stalled reader clumps too;
 * `all` are those of the whole profile.
 */
export function observeStreams(
  records: readonly LoadRecord[],
  all: readonly LoadRecord[] = records,
): readonly StreamObservation[] {
  const begun = selectRecords(records, isBegun);
  const streams = selectRecords(begun, (record) => record.outcome === "ok");
  const long = selectRecords(streams, (record) => record.contentEvents >= leastEvents);
  const judgedBy = { all: streams, long, begun };
  const found: StreamObservation[] = [];
  for (const { id, subjects, matches, leastShare, message } of shapes) {
    const judged = judgedBy[subjects];
    const count = judged.filter(matches).length;
    if (count > 0 && count >= leastShare * judged.length) found.push({ id, message, count, outOf: judged.length });
  }
  const cut = observeCut(records);
  if (cut !== null) found.push(cut);
  const queued = findQueue(streams, all);
  if (queued !== null) found.push({ id: "queued", message: queuedMessage, ...queued });
  const whole = generatedWhole(long);
  if (whole !== null) found.push(whole);
  return found;
}

/** Streams of which this could have been seen; a count of 0 out of none says nothing. */
export function observableStreams(id: ObservationId, records: readonly LoadRecord[]): number {
  const begun = records.filter(isBegun);
  const subjects = shapes.find((shape) => shape.id === id)?.subjects;
  if (subjects === "begun") return begun.length;
  const streams = begun.filter((record) => record.outcome === "ok");
  const isLong = subjects === "long" || id === "generated-whole";
  const judged = isLong ? streams.filter((record) => record.contentEvents >= leastEvents).length : streams.length;
  const least = id === "queued" ? leastWaits : id === "generated-whole" ? leastLengths : 0;
  return judged < least ? 0 : judged;
}

interface Shape {
  readonly id: ObservationId;
  /** Whole answers, those of them with a shape to judge, or every stream that began. */
  readonly subjects: "all" | "long" | "begun";
  readonly matches: (record: LoadRecord) => boolean;
  /** Share of the subjects below which the pause of a busy machine explains it as well. */
  readonly leastShare: number;
  readonly message: string;
}

const shapes: readonly Shape[] = [
  {
    id: "buffered",
    subjects: "long",
    matches: isBuffered,
    leastShare: 0.05,
    message: "the whole answer came at once, late: something on the way buffers the stream",
  },
  {
    id: "fake",
    subjects: "long",
    matches: isFake,
    leastShare: 0.05,
    message: "chunks came faster than any model writes, after a wait for the whole answer: the stream is replayed, not generated",
  },
  {
    id: "clumped",
    subjects: "long",
    matches: isClumped,
    leastShare: 0.05,
    message: "chunks came several at a time with pauses between: gaps between chunks are not gaps between tokens",
  },
  {
    id: "early-role",
    subjects: "all",
    matches: isEarlyRole,
    leastShare: 0.05,
    message: "an event without content came long before the first token: the first event is no measure of the first token",
  },
  {
    id: "no-token",
    subjects: "all",
    matches: (record) => record.firstTokenMs === null,
    leastShare: 0,
    message: "the stream held no content, reasoning or tool call",
  },
  {
    id: "broken-framing",
    subjects: "begun",
    matches: (record) => record.stream?.broken === true,
    leastShare: 0,
    message: "the stream held data that is no JSON object, invalid UTF-8, or ended within an event",
  },
  {
    id: "unfinished",
    subjects: "begun",
    matches: (record) => record.stream?.finished === false,
    leastShare: 0,
    message: "the stream ended without a finish reason and without [DONE]",
  },
];

const queuedMessage =
  "the response heads came one after the other, the later the more requests waited, while head to first token stayed the same: a queue or a limiter held the requests, not the model";

/** Not the doing of the target: reported because figures of the beginning go into the distributions without one of the end. */
function observeCut(records: readonly LoadRecord[]): StreamObservation | null {
  const cut = records.filter((record) => record.outcome === "interrupted");
  if (cut.length === 0) return null;
  const untouched = cut.filter((record) => record.firstTokenMs === null && record.firstByteMs === null).length;
  const silent = untouched === 0 ? "" : `; ${untouched} of them had brought nothing yet and give no time to first token`;
  const message = `the generator cut these off: what arrived until then is counted, their end is not${silent}`;
  return { id: "interrupted", message, count: cut.length, outOf: records.length };
}

/** A stream that the target ended itself, as an answer or not. */
function isBegun({ outcome, stream }: LoadRecord): boolean {
  return stream !== null && (outcome === "ok" || outcome === "server-error");
}

/** Fewer waits, or lengths of answers, show no pattern. */
const leastLengths = 20;
/** Shorter answers have no shape to judge. */
const leastEvents = 8;
/** Below this end-to-end time a fast model and a buffer look alike. */
const leastAnswerMs = 100;

function contentSpan(record: LoadRecord): number {
  return record.answeredMs - (record.firstTokenMs ?? record.answeredMs);
}

/** All content in at most two reads that came in the last fiftieth of the time. */
function isBuffered(record: LoadRecord): boolean {
  return isLate(record) && record.arrivals <= 2;
}

/** Many reads, but all of them in the last fiftieth of the time and faster than 2,000 chunks a second. */
function isFake(record: LoadRecord): boolean {
  return isLate(record) && record.arrivals > 2 && record.contentEvents > 2 * contentSpan(record);
}

function isLate(record: LoadRecord): boolean {
  const whole = record.answeredMs - record.sentMs;
  return whole >= leastAnswerMs && contentSpan(record) < 0.02 * whole;
}

/** Several chunks a read on average (`leastEventsOfClump`), over reads that are at least 20 ms apart in the middle. */
function isClumped(record: LoadRecord): boolean {
  return record.middleGapMs !== null && record.middleGapMs >= 20 && !isLate(record);
}

/** An event more than 20 ms and more than half of the time to first token before it. */
function isEarlyRole(record: LoadRecord): boolean {
  if (record.firstEventMs === null || record.firstTokenMs === null) return false;
  const lead = record.firstTokenMs - record.firstEventMs;
  return lead > 20 && lead > 0.5 * (record.firstTokenMs - record.sentMs);
}

/**
 * Time to first token that grows with the length of the answer: no model knows that length beforehand. Reported when rank
 * correlation over at least 20 answers of different length exceeds 0.8 and most of the time goes into the first token.
 */
function generatedWhole(records: readonly LoadRecord[]): StreamObservation | null {
  const subjects = records.filter((record) => record.outputTokens !== null && record.firstTokenMs !== null);
  if (subjects.length < leastLengths) return null;
  const lengths = subjects.map((record) => record.outputTokens ?? 0);
  if (new Set(lengths).size < 5) return null;
  const waits = subjects.map((record) => (record.firstTokenMs ?? 0) - record.sentMs);
  const late = subjects.filter((record) => contentSpan(record) < 0.1 * (record.answeredMs - record.sentMs)).length;
  if (late < 0.9 * subjects.length || rankCorrelation(lengths, waits) <= 0.8) return null;
  const message =
    "time to first token grows with the length of the answer: answers are generated whole before the first chunk is sent";
  return { id: "generated-whole", message, count: late, outOf: subjects.length };
}
