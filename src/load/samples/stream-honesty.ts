import type { LoadProfileResult } from "../../core/result/load-result.ts";
import { countPaused } from "./count-paused.ts";
import { findQueue, leastWaits } from "./find-queue.ts";
import type { LoadRecord } from "./load-record.ts";
import { selectRecords } from "./select-records.ts";
import type { ObservationId } from "../profile/observation-ids.ts";
import { rankCorrelation } from "../statistics/rank-correlation.ts";
import { addShape, addShapes, contentSpan, isBegun, isLong, noShapes, type ShapeCounts, shapes } from "./stream-shapes.ts";

export type StreamObservation = LoadProfileResult["observations"][number] & { readonly id: ObservationId };

/** The observations, and by id the number of streams that a pause explains as well. */
export interface ObservedStreams {
  readonly observations: readonly StreamObservation[];
  readonly paused: ReadonlyMap<ObservationId, number>;
}

/**
 * Names what is wrong with the way streams arrive. These are observations with their counts, not verdicts: the
 * specification asks for no pace. Records of tainted seconds must be left out by the caller, a stalled reader clumps too;
 * `all` are those of the whole profile, `counted` the shapes of what was not kept.
 */
export function observeStreams(
  records: readonly LoadRecord[],
  all: readonly LoadRecord[] = records,
  counted: ShapeCounts | null = null,
): ObservedStreams {
  const counts = noShapes();
  for (const record of records) addShape(counts, record);
  if (counted !== null) addShapes(counts, counted);
  const found: StreamObservation[] = [];
  const paused = new Map<ObservationId, number>();
  const streams = wholeStreams(records);
  const long = selectRecords(streams, isLong);
  for (const [place, { id, subjects, leastShare, message, matches }] of shapes.entries()) {
    const count = counts.matches[place] ?? 0;
    const least = leastShare * counts[subjects];
    if (count === 0 || count < least) continue;
    const explained = subjects === "long" ? countPaused(selectRecords(long, matches), long, all) : 0;
    if (explained > 0) paused.set(id, explained);
    const certain = count - explained;
    if (certain > 0 && certain >= least) found.push({ id, message, count: certain, outOf: counts[subjects] });
  }
  const cut = observeCut(counts);
  if (cut !== null) found.push(cut);
  const queued = findQueue(streams, all);
  if (queued !== null) found.push({ id: "queued", message: queuedMessage, ...queued });
  const whole = generatedWhole(long);
  if (whole !== null) found.push(whole);
  return { observations: found, paused };
}

/** Streams of which this could have been seen; a count of 0 out of none says nothing. */
export function observableStreams(id: ObservationId, records: readonly LoadRecord[], counted: ShapeCounts | null): number {
  const subjects = shapes.find((shape) => shape.id === id)?.subjects;
  // Counts do not show a detector's evidence that lies in the order alone.
  if (subjects === undefined && counted !== null && (id === "queued" || id === "generated-whole")) return 0;
  const beside = counted?.[subjects ?? "all"] ?? 0;
  if (subjects === "begun") return records.filter(isBegun).length + beside;
  const streams = wholeStreams(records);
  const judged = subjects === "long" || id === "generated-whole" ? streams.filter(isLong).length : streams.length;
  const least = id === "queued" ? leastWaits : id === "generated-whole" ? leastLengths : 0;
  return judged + beside < least ? 0 : judged + beside;
}

function wholeStreams(records: readonly LoadRecord[]): readonly LoadRecord[] {
  return selectRecords(records, (record) => isBegun(record) && record.outcome === "ok");
}

const queuedMessage =
  "the response heads came one after the other, the later the more requests waited, while head to first token stayed the same: a queue or a limiter held the requests, not the model";

/** Not the doing of the target: reported because figures of the beginning go into the distributions without one of the end. */
function observeCut({ cut, untouched, records }: ShapeCounts): StreamObservation | null {
  if (cut === 0) return null;
  const silent = untouched === 0 ? "" : `; ${untouched} of them had brought nothing yet and give no time to first token`;
  const message = `the generator cut these off: what arrived until then is counted, their end is not${silent}`;
  return { id: "interrupted", message, count: cut, outOf: records };
}

/** Fewer waits, or lengths of answers, show no pattern. */
const leastLengths = 20;
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
