import { ColumnError, unpackIntegers, unpackNumbers, unpackSeries, unpackTexts } from "../../core/columns/column.ts";
import type { ServiceLevel } from "../profile/load-profile.ts";
import { deriveFigures, deriveGaps } from "../samples/derive-figures.ts";
import type { LoadRecord } from "../samples/load-record.ts";
import { mostArrivalsOfLine } from "../samples/record-store.ts";
import { flagBits, PackedRecord, type PackedTexts, type PackedTimings, type RecordChunk } from "./packed-record.ts";
import { columnNames, type RecordColumns } from "./record-columns.ts";
import { SharedColumns } from "./shared-columns.ts";

type Integers = readonly (number | null)[];
type Pack = (values: Integers) => Float64Array;
type Name = keyof RecordColumns;

/**
 * The records again, equal to the last bit, for up to `mostRows` rows. Throws a ColumnError for what `packRecords` cannot have made.
 */
export function unpackRecords(
  columns: unknown,
  rows: number,
  slo: ServiceLevel,
  shared: SharedColumns = new SharedColumns(),
): readonly LoadRecord[] {
  if (typeof columns !== "object" || columns === null) throw new ColumnError("there are no columns");
  const isUnknown = Object.keys(columns).some((name) => !columnNames.some((known) => known === name));
  if (isUnknown) throw new ColumnError("a column that is not known");
  const column = (name: Name): unknown => (columns as Readonly<Record<string, unknown>>)[name];
  const integers = (name: Name): Integers => named(name, () => unpackIntegers(column(name), rows));
  const whole = (name: Name): readonly number[] => noneMissing(name, integers(name));
  const series = (name: Name): readonly number[] =>
    noneMissing(
      name,
      named(name, () => unpackSeries(column(name), rows)),
    );
  const pack = (values: Integers): Float64Array => shared.pack(values);
  const packMillis = (micros: Integers): Float64Array => pack(micros.map((at) => (at === null ? null : at / 1000)));
  const numbers = (name: Name): Float64Array => pack(named(name, () => unpackNumbers(column(name), rows)));
  /** Columns that older records have not. */
  const integersSince = (name: Name): Integers =>
    column(name) === undefined ? Array.from({ length: rows }, () => null) : integers(name);
  const numbersSince = (name: Name): Float64Array =>
    column(name) === undefined ? pack(Array.from({ length: rows }, () => null)) : numbers(name);
  const texts = (name: Name): PackedTexts => shared.packTexts(named(name, () => unpackTexts(column(name), rows)));

  const intended = series("intended");
  const issued = offset(intended, whole("issued"), intended);
  const sent = offset(issued, whole("sent"), issued) as readonly number[];
  const headers = offset(sent, integers("headers"), sent);
  const byte = offset(headers, integers("firstByte"), sent);
  const event = offset(byte, integers("firstEvent"), sent);
  const token = offset(event, integers("firstToken"), sent);
  const end = offset(sent, whole("end"), sent);
  const timingsSource = texts("timingsSource");
  const timings: PackedTimings | null =
    timingsSource.of.length === 0
      ? null
      : {
          source: timingsSource,
          queueMs: numbers("timingsQueue"),
          prefillMs: numbers("timingsPrefill"),
          decodeMs: numbers("timingsDecode"),
          decodedTokens: numbers("timingsTokens"),
        };
  const estimated = whole("tokensEstimated");
  const arrivals = whole("arrivals");
  const kept = integers("groups");
  const groupCounts = kept.map((count, row) => count ?? arrivals[row] ?? 0);
  const answered = whole("answered");
  const endMs = packMillis(end);
  const chunk: OpenChunk = {
    seq: pack(series("seq")),
    endpoint: texts("endpoint"),
    label: texts("label"),
    phase: texts("phase"),
    outcome: texts("outcome"),
    notSent: texts("notSent"),
    step: pack(whole("step")),
    intendedMs: packMillis(intended),
    issuedMs: packMillis(issued),
    sentMs: packMillis(sent),
    headersMs: packMillis(headers),
    firstByteMs: packMillis(byte),
    firstEventMs: packMillis(event),
    firstTokenMs: packMillis(token),
    firstTokenEarliestMs: packMillis(offset(token, integers("firstTokenEarliest"), sent)),
    firstOutputMs: packMillis(offset(token, integers("firstOutput"), sent)),
    answeredMs: answered.every((by) => by === 0) ? endMs : packMillis(offset(end, answered, sent)),
    endMs,
    status: pack(integers("status")),
    attempt: pack(whole("attempt")),
    promptTokens: numbers("promptTokens"),
    askedPrompt: numbersSince("askedPrompt"),
    askedOutput: numbersSince("askedOutput"),
    cachedTokens: numbersSince("cachedTokens"),
    session: pack(integersSince("session")),
    turn: pack(integersSince("turn")),
    outputTokens: numbers("outputTokens"),
    hiddenTokens: pack(integersSince("hiddenTokens").map((count) => (count === null ? 0 : count < 0 ? null : count))),
    contentEvents: pack(whole("contentEvents")),
    tpotMs: pack([]),
    flags: pack([]),
    stream: pack(integers("stream")),
    timings,
    reused: pack(integers("reused")),
    connection: pack(integers("connection")),
    arrivals: pack(arrivals),
    longestGapMs: packMillis(integers("longestGap")),
    middleGapMs: packMillis(integers("middleGap")),
    ...unpackGroups(column, groupCounts, { pack, fromMicros: (row) => token[row] ?? sent[row] ?? 0 }),
  };
  const records = arrivals.map((_, row) => new PackedRecord(chunk, row));
  complete(chunk, records, { estimated, kept, slo, pack });
  return records;
}

type OpenChunk = { -readonly [Member in keyof RecordChunk]: RecordChunk[Member] };

/** Fills in what follows from the other members. */
function complete(
  chunk: OpenChunk,
  records: readonly PackedRecord[],
  {
    estimated,
    kept,
    slo,
    pack,
  }: { readonly estimated: readonly number[]; readonly kept: Integers; readonly slo: ServiceLevel; readonly pack: Pack },
): void {
  const bits = estimated.map((is) => (is === 1 ? flagBits.tokensEstimated : 0));
  chunk.flags = pack(bits);
  if (records.some((record) => record.arrivals > 1)) {
    const gaps = records.map((record, row) => (kept[row] === null ? deriveGaps(record) : record));
    chunk.longestGapMs = pack(gaps.map(({ longestGapMs }) => longestGapMs));
    chunk.middleGapMs = pack(gaps.map(({ middleGapMs }) => middleGapMs));
  }
  const figures = records.map((record) => deriveFigures(record, slo));
  chunk.tpotMs = pack(figures.map(({ tpotMs }) => tpotMs));
  chunk.flags = pack(
    figures.map(
      ({ tpotEstimated, good, maybeGood }, row) =>
        (bits[row] ?? 0) |
        (tpotEstimated ? flagBits.tpotEstimated : 0) |
        (good ? flagBits.good : 0) |
        (maybeGood ? flagBits.maybeGood : 0),
    ),
  );
}

/** Microseconds of each row: from `base`, or from `otherwise` where that has none. */
function offset(base: Integers, offsets: Integers, otherwise: Integers): Integers {
  return offsets.map((by, row) => (by === null ? null : (base[row] ?? otherwise[row] ?? 0) + by));
}

type Groups = Pick<RecordChunk, "groupStart" | "groupAtMs" | "groupEvents" | "groupTokens">;

/** `counts` are those of the rows, `fromMicros` where the first gap of a row begins. */
function unpackGroups(
  column: (name: Name) => unknown,
  counts: readonly number[],
  { pack, fromMicros }: { readonly pack: Pack; readonly fromMicros: (row: number) => number },
): Groups {
  const total = counts.reduce((sum, count) => sum + (count < 0 ? Infinity : count), 0);
  if (total > mostArrivalsOfLine) throw new ColumnError("groups: the column holds counts that no line holds");
  const integers = (name: Name): Integers => named(name, () => unpackIntegers(column(name), total));
  const gaps = noneMissing("groupAt", integers("groupAt"));
  const groupStart = new Uint32Array(counts.length + 1);
  const groupAtMs = new Float64Array(total);
  let next = 0;
  for (const [row, count] of counts.entries()) {
    let at = fromMicros(row);
    for (const last = next + count; next < last; next += 1) {
      at += gaps[next] ?? 0;
      groupAtMs[next] = at / 1000;
    }
    groupStart[row + 1] = next;
  }
  return {
    groupStart,
    groupAtMs,
    groupEvents: pack(noneMissing("groupEvents", integers("groupEvents"))),
    groupTokens: pack(integers("groupTokens")),
  };
}

function named<Value>(name: string, unpack: () => Value): Value {
  try {
    return unpack();
  } catch (error) {
    throw error instanceof ColumnError ? new ColumnError(`${name}: ${error.message}`) : error;
  }
}

function noneMissing(name: string, values: Integers): readonly number[] {
  if (values.includes(null)) throw new ColumnError(`${name}: a row has no value`);
  return values as readonly number[];
}
