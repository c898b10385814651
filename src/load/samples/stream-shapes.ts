import type { LoadRecord } from "./load-record.ts";
import type { ObservationId } from "../profile/observation-ids.ts";

/** How many streams have which shape; what it takes to see one is in the stream itself, so counts of many workers add up. */
export interface ShapeCounts {
  /** Attempts of any kind. */
  records: number;
  /** Every stream that began, whole answers, and those of them with a shape to judge. */
  begun: number;
  all: number;
  long: number;
  /** Cut off by the generator, and those of them that had brought nothing yet. */
  cut: number;
  untouched: number;
  /** By the order of `shapes`. */
  readonly matches: number[];
}

export interface Shape {
  readonly id: ObservationId;
  /** Whole answers, those of them with a shape to judge, or every stream that began. */
  readonly subjects: "all" | "long" | "begun";
  readonly matches: (record: LoadRecord) => boolean;
  /** Share of the subjects below which the pause of a busy machine explains it as well. */
  readonly leastShare: number;
  readonly message: string;
}

export const shapes: readonly Shape[] = [
  {
    id: "buffered",
    subjects: "long",
    // All content in at most two reads that came in the last fiftieth of the time.
    matches: (record) => isLate(record) && record.arrivals <= 2,
    leastShare: 0.05,
    message: "the whole answer came at once, late: something on the way buffers the stream",
  },
  {
    id: "fake",
    subjects: "long",
    // Many reads, but all of them in the last fiftieth of the time and faster than 2,000 chunks a second.
    matches: (record) => isLate(record) && record.arrivals > 2 && record.contentEvents > 2 * contentSpan(record),
    leastShare: 0.05,
    message: "chunks came faster than any model writes, after a wait for the whole answer: the stream is replayed, not generated",
  },
  {
    id: "clumped",
    subjects: "long",
    // Several chunks a read on average (`leastEventsOfClump`), over reads that are at least 20 ms apart in the middle.
    matches: (record) => record.middleGapMs !== null && record.middleGapMs >= 20 && !isLate(record),
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

export function noShapes(): ShapeCounts {
  return { records: 0, begun: 0, all: 0, long: 0, cut: 0, untouched: 0, matches: shapes.map(() => 0) };
}

export function addShape(into: ShapeCounts, record: LoadRecord): void {
  into.records += 1;
  if (record.outcome === "interrupted") {
    into.cut += 1;
    if (record.firstTokenMs === null && record.firstByteMs === null) into.untouched += 1;
  }
  if (!isBegun(record)) return;
  const whole = record.outcome === "ok";
  const long = whole && isLong(record);
  into.begun += 1;
  if (whole) into.all += 1;
  if (long) into.long += 1;
  const belongs = { begun: true, all: whole, long };
  for (const [place, { subjects, matches }] of shapes.entries()) {
    if (belongs[subjects] && matches(record)) into.matches[place] = (into.matches[place] ?? 0) + 1;
  }
}

export function addShapes(into: ShapeCounts, other: ShapeCounts): void {
  for (const sum of shapeSums) into[sum] += other[sum];
  for (const place of shapes.keys()) into.matches[place] = (into.matches[place] ?? 0) + (other.matches[place] ?? 0);
}

export const shapeSums = ["records", "begun", "all", "long", "cut", "untouched"] as const;

/** A stream that the target ended itself, as an answer or not. */
export function isBegun({ outcome, stream }: LoadRecord): boolean {
  return stream !== null && (outcome === "ok" || outcome === "server-error");
}

/** Shorter answers have no shape to judge. */
const leastEvents = 8;

export function isLong({ contentEvents }: LoadRecord): boolean {
  return contentEvents >= leastEvents;
}

/** Below this end-to-end time a fast model and a buffer look alike. */
const leastAnswerMs = 100;

export function contentSpan(record: LoadRecord): number {
  return record.answeredMs - (record.firstTokenMs ?? record.answeredMs);
}

function isLate(record: LoadRecord): boolean {
  const whole = record.answeredMs - record.sentMs;
  return whole >= leastAnswerMs && contentSpan(record) < 0.02 * whole;
}

/** An event more than 20 ms and more than half of the time to first token before it. */
function isEarlyRole(record: LoadRecord): boolean {
  if (record.firstEventMs === null || record.firstTokenMs === null) return false;
  const lead = record.firstTokenMs - record.firstEventMs;
  return lead > 20 && lead > 0.5 * (record.firstTokenMs - record.sentMs);
}
