import {
  ColumnError,
  packIntegers,
  packNumbers,
  packSeries,
  packTexts,
  unpackIntegers,
  unpackNumbers,
  unpackSeries,
  unpackTexts,
  type Column,
} from "../../core/ledger/column.ts";
import type { ServiceLevel } from "../profile/load-profile.ts";
import { deriveFigures, type LoadRecord, type OpenRecord, type StreamFacts } from "../samples/load-record.ts";
import type { ArrivalGroup, ServerTimings } from "../samples/stream-progress.ts";

/**
 * Records of a ledger line, member by member. Instants are whole microseconds from another instant of the same row: from the one before
 * it in time, so that they are small. What follows from other members (`deriveFigures`) is not kept.
 */
export type RecordColumns = Readonly<Record<(typeof columnNames)[number], Column>>;

const columnNames = [
  "seq",
  "endpoint",
  "label",
  "phase",
  "step",
  "intended",
  "issued",
  "sent",
  "headers",
  "firstByte",
  "firstEvent",
  "firstToken",
  "firstTokenEarliest",
  "firstOutput",
  "answered",
  "end",
  "status",
  "outcome",
  "notSent",
  "attempt",
  "promptTokens",
  "outputTokens",
  "tokensEstimated",
  "contentEvents",
  "stream",
  "timingsSource",
  "timingsQueue",
  "timingsPrefill",
  "timingsDecode",
  "timingsTokens",
  "reused",
  "connection",
  "groups",
  "groupAt",
  "groupEvents",
  "groupTokens",
] as const;

/** Arrivals of one line that are read at most: of a line that was written, never more than its rows hold. */
const mostGroups = 1_000_000;

export function packRecords(records: readonly LoadRecord[]): RecordColumns {
  const integers = (of: (record: LoadRecord) => number | null): Column => packIntegers(records.map(of));
  const texts = (of: (record: LoadRecord) => string | null): Column => packTexts(records.map(of));
  const since = (of: (record: LoadRecord) => number | null, from: (record: LoadRecord) => number): Column =>
    packIntegers(
      records.map((record) => {
        const ms = of(record);
        return ms === null ? null : micros(ms) - micros(from(record));
      }),
    );
  const timing = (member: "queueMs" | "prefillMs" | "decodeMs" | "decodedTokens"): Column =>
    packNumbers(records.map(({ serverTimings }) => serverTimings?.[member] ?? null));
  const groups = records.flatMap((record) => record.groups);
  return {
    seq: packSeries(records.map(({ seq }) => seq)),
    endpoint: texts(({ endpoint }) => endpoint),
    label: texts(({ label }) => label),
    phase: texts(({ phase }) => phase),
    step: integers(({ step }) => step),
    intended: packSeries(records.map(({ intendedMs }) => micros(intendedMs))),
    issued: since(
      (record) => record.issuedMs,
      (record) => record.intendedMs,
    ),
    sent: since(
      (record) => record.sentMs,
      (record) => record.issuedMs,
    ),
    headers: since(
      (record) => record.headersMs,
      (record) => record.sentMs,
    ),
    firstByte: since((record) => record.firstByteMs, headersOrSent),
    firstEvent: since((record) => record.firstEventMs, byteOrSent),
    firstToken: since((record) => record.firstTokenMs, eventOrSent),
    firstTokenEarliest: since((record) => record.firstTokenEarliestMs, tokenOrSent),
    firstOutput: since((record) => record.firstOutputMs, tokenOrSent),
    answered: since(
      (record) => record.answeredMs,
      (record) => record.endMs,
    ),
    end: since(
      (record) => record.endMs,
      (record) => record.sentMs,
    ),
    status: integers(({ status }) => status),
    outcome: texts(({ outcome }) => outcome),
    notSent: texts(({ notSent }) => notSent),
    attempt: integers(({ attempt }) => attempt),
    promptTokens: packNumbers(records.map(({ promptTokens }) => promptTokens)),
    outputTokens: packNumbers(records.map(({ outputTokens }) => outputTokens)),
    tokensEstimated: integers(({ tokensEstimated }) => (tokensEstimated ? 1 : 0)),
    contentEvents: integers(({ contentEvents }) => contentEvents),
    stream: integers(({ stream }) => (stream === null ? null : streamBits(stream))),
    timingsSource: texts(({ serverTimings }) => serverTimings?.source ?? null),
    timingsQueue: timing("queueMs"),
    timingsPrefill: timing("prefillMs"),
    timingsDecode: timing("decodeMs"),
    timingsTokens: timing("decodedTokens"),
    reused: integers(({ reusedConnection }) => (reusedConnection === null ? null : Number(reusedConnection))),
    connection: integers(({ connection }) => connection),
    groups: integers(({ groups: own }) => own.length),
    groupAt: packIntegers(
      records.flatMap((record) =>
        record.groups.map(({ atMs }, index) => micros(atMs) - micros(record.groups[index - 1]?.atMs ?? tokenOrSent(record))),
      ),
    ),
    groupEvents: packIntegers(groups.map(({ events }) => events)),
    groupTokens: packIntegers(groups.map(({ tokens }) => tokens)),
  };
}

/** The records again, equal to the last bit. Throws a ColumnError for what `packRecords` cannot have made. */
export function unpackRecords(columns: unknown, rows: number, slo: ServiceLevel): readonly LoadRecord[] {
  if (typeof columns !== "object" || columns === null) throw new ColumnError("there are no columns");
  const unknown = Object.keys(columns).find((name) => !columnNames.some((known) => known === name));
  if (unknown !== undefined) throw new ColumnError("a column that is not known");
  const column = (name: keyof RecordColumns): unknown => (columns as Readonly<Record<string, unknown>>)[name];
  const integers = (name: keyof RecordColumns): readonly (number | null)[] =>
    named(name, () => unpackIntegers(column(name), rows));
  const whole = (name: keyof RecordColumns): readonly number[] => noneMissing(name, integers(name));
  const numbers = (name: keyof RecordColumns): readonly (number | null)[] => named(name, () => unpackNumbers(column(name), rows));
  const texts = (name: keyof RecordColumns): readonly (string | null)[] => named(name, () => unpackTexts(column(name), rows));
  const seq = noneMissing(
    "seq",
    named("seq", () => unpackSeries(column("seq"), rows)),
  );
  const intended = noneMissing(
    "intended",
    named("intended", () => unpackSeries(column("intended"), rows)),
  );
  const [endpoint, label, phase, outcome, notSent] = [
    texts("endpoint"),
    texts("label"),
    texts("phase"),
    texts("outcome"),
    texts("notSent"),
  ];
  const [step, issued, sent, headers, firstByte] = [
    whole("step"),
    whole("issued"),
    whole("sent"),
    integers("headers"),
    integers("firstByte"),
  ];
  const [firstEvent, firstToken, earliest, firstOutput] = [
    integers("firstEvent"),
    integers("firstToken"),
    integers("firstTokenEarliest"),
    integers("firstOutput"),
  ];
  const [answered, end, status, attempt] = [whole("answered"), whole("end"), integers("status"), whole("attempt")];
  const [promptTokens, outputTokens, estimated, contentEvents] = [
    numbers("promptTokens"),
    numbers("outputTokens"),
    whole("tokensEstimated"),
    whole("contentEvents"),
  ];
  const [stream, source, queue, prefill, decode, decoded] = [
    integers("stream"),
    texts("timingsSource"),
    numbers("timingsQueue"),
    numbers("timingsPrefill"),
    numbers("timingsDecode"),
    numbers("timingsTokens"),
  ];
  const [reused, connection] = [integers("reused"), integers("connection")];
  const arrivals = unpackArrivals(column, whole("groups"));
  const records: LoadRecord[] = [];
  for (let row = 0; row < rows; row += 1) {
    const at = (offsets: readonly (number | null)[], fromMicros: number): number | null => {
      const offset = offsets[row] ?? null;
      return offset === null ? null : fromMicros + offset;
    };
    const intendedAt = intended[row] ?? 0;
    const issuedAt = intendedAt + (issued[row] ?? 0);
    const sentAt = issuedAt + (sent[row] ?? 0);
    const headersAt = at(headers, sentAt);
    const byteAt = at(firstByte, headersAt ?? sentAt);
    const eventAt = at(firstEvent, byteAt ?? sentAt);
    const tokenAt = at(firstToken, eventAt ?? sentAt);
    const endAt = sentAt + (end[row] ?? 0);
    const timings = source[row] ?? null;
    const record: OpenRecord = {
      seq: seq[row] ?? 0,
      endpoint: (endpoint[row] ?? "chat") as LoadRecord["endpoint"],
      label: label[row] ?? "",
      phase: phase[row] === "warm-up" ? "warm-up" : "measure",
      step: step[row] ?? 0,
      intendedMs: intendedAt / 1000,
      issuedMs: issuedAt / 1000,
      sentMs: sentAt / 1000,
      headersMs: millis(headersAt),
      firstByteMs: millis(byteAt),
      firstEventMs: millis(eventAt),
      firstTokenMs: millis(tokenAt),
      firstTokenEarliestMs: millis(at(earliest, tokenAt ?? sentAt)),
      firstOutputMs: millis(at(firstOutput, tokenAt ?? sentAt)),
      answeredMs: (endAt + (answered[row] ?? 0)) / 1000,
      endMs: endAt / 1000,
      status: status[row] ?? null,
      outcome: (outcome[row] ?? "not-sent") as LoadRecord["outcome"],
      notSent: (notSent[row] ?? null) as LoadRecord["notSent"],
      attempt: attempt[row] ?? 1,
      good: false,
      promptTokens: promptTokens[row] ?? null,
      outputTokens: outputTokens[row] ?? null,
      tokensEstimated: estimated[row] === 1,
      groups: arrivals(row, tokenAt ?? sentAt),
      contentEvents: contentEvents[row] ?? 0,
      tpotMs: null,
      tpotEstimated: false,
      stream: streamOf(stream[row] ?? null),
      serverTimings:
        timings === null
          ? null
          : {
              source: timings as ServerTimings["source"],
              queueMs: queue[row] ?? null,
              prefillMs: prefill[row] ?? null,
              decodeMs: decode[row] ?? null,
              decodedTokens: decoded[row] ?? null,
            },
      reusedConnection: reused[row] == null ? null : reused[row] === 1,
      connection: connection[row] ?? null,
    };
    deriveFigures(record, slo);
    records.push(record);
  }
  return records;
}

const noGroups: readonly ArrivalGroup[] = [];

/** Gives the arrivals of one row after the other. */
function unpackArrivals(
  column: (name: keyof RecordColumns) => unknown,
  counts: readonly number[],
): (row: number, fromMicros: number) => readonly ArrivalGroup[] {
  const total = counts.reduce((sum, count) => sum + (count < 0 ? Infinity : count), 0);
  if (total > mostGroups) throw new ColumnError("groups: the column holds counts that no line holds");
  const [gaps, events] = (["groupAt", "groupEvents"] as const).map((name) =>
    noneMissing(
      name,
      named(name, () => unpackIntegers(column(name), total)),
    ),
  );
  const tokens = named("groupTokens", () => unpackIntegers(column("groupTokens"), total));
  let next = 0;
  return (row, fromMicros) => {
    const count = counts[row] ?? 0;
    if (count === 0) return noGroups;
    const groups: ArrivalGroup[] = [];
    let at = fromMicros;
    for (const last = next + count; next < last; next += 1) {
      at += gaps?.[next] ?? 0;
      groups.push({ atMs: at / 1000, events: events?.[next] ?? 0, tokens: tokens[next] ?? null });
    }
    return groups;
  };
}

function named<Value>(name: string, unpack: () => Value): Value {
  try {
    return unpack();
  } catch (error) {
    throw error instanceof ColumnError ? new ColumnError(`${name}: ${error.message}`) : error;
  }
}

function noneMissing(name: string, values: readonly (number | null)[]): readonly number[] {
  if (values.includes(null)) throw new ColumnError(`${name}: a row has no value`);
  return values as readonly number[];
}

function micros(ms: number): number {
  return Math.round(ms * 1000);
}

function millis(at: number | null): number | null {
  return at === null ? null : at / 1000;
}

function headersOrSent(record: LoadRecord): number {
  return record.headersMs ?? record.sentMs;
}

function byteOrSent(record: LoadRecord): number {
  return record.firstByteMs ?? record.sentMs;
}

function eventOrSent(record: LoadRecord): number {
  return record.firstEventMs ?? record.sentMs;
}

function tokenOrSent(record: LoadRecord): number {
  return record.firstTokenMs ?? record.sentMs;
}

const streamMembers = ["done", "finished", "broken", "continuousUsage"] as const;

function streamBits(stream: StreamFacts): number {
  return streamMembers.reduce((bits, member, place) => bits | (stream[member] ? 1 << place : 0), 0);
}

function streamOf(bits: number | null): StreamFacts | null {
  if (bits === null) return null;
  const [done, finished, broken, continuousUsage] = streamMembers.map((_, place) => (bits & (1 << place)) !== 0);
  return { done: done === true, finished: finished === true, broken: broken === true, continuousUsage: continuousUsage === true };
}
