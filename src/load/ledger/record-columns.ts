import { microsecondsOf } from "../../core/columns/round-to-microseconds.ts";
import { packIntegers, packNumbers, packSeries, packTexts, type Column } from "../../core/columns/column.ts";
import type { LoadRecord, StreamFacts } from "../samples/load-record.ts";
import { streamMembers } from "./packed-record.ts";

/**
 * Records of a ledger line, member by member. Instants are whole microseconds from another instant of the same row: from the
 * one before it in time, so that they are small. Values that follow from other members (`deriveGaps`, `deriveFigures`) are not
 * kept.
 */
export type RecordColumns = Readonly<Record<(typeof columnNames)[number], Column>>;

export const columnNames = [
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
  "askedPrompt",
  "askedOutput",
  "cachedTokens",
  "session",
  "turn",
  "outputTokens",
  "tokensEstimated",
  "hiddenTokens",
  "contentEvents",
  "stream",
  "timingsSource",
  "timingsQueue",
  "timingsPrefill",
  "timingsDecode",
  "timingsTokens",
  "reused",
  "connection",
  "arrivals",
  "longestGap",
  "middleGap",
  "groups",
  "groupAt",
  "groupEvents",
  "groupTokens",
] as const;

export function packRecords(records: readonly LoadRecord[]): RecordColumns {
  const integers = (of: (record: LoadRecord) => number | null): Column => packIntegers(records.map(of));
  const texts = (of: (record: LoadRecord) => string | null): Column => packTexts(records.map(of));
  /** From the other member; where that is null, from the sending. */
  const since = (member: Instant, from: Instant): Column =>
    packIntegers(
      records.map((record) => {
        const ms = record[member];
        return ms === null ? null : microsecondsOf(ms) - microsecondsOf(record[from] ?? record.sentMs);
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
    intended: packSeries(records.map(({ intendedMs }) => microsecondsOf(intendedMs))),
    issued: since("issuedMs", "intendedMs"),
    sent: since("sentMs", "issuedMs"),
    headers: since("headersMs", "sentMs"),
    firstByte: since("firstByteMs", "headersMs"),
    firstEvent: since("firstEventMs", "firstByteMs"),
    firstToken: since("firstTokenMs", "firstEventMs"),
    firstTokenEarliest: since("firstTokenEarliestMs", "firstTokenMs"),
    firstOutput: since("firstOutputMs", "firstTokenMs"),
    answered: since("answeredMs", "endMs"),
    end: since("endMs", "sentMs"),
    status: integers(({ status }) => status),
    outcome: texts(({ outcome }) => outcome),
    notSent: texts(({ notSent }) => notSent),
    attempt: integers(({ attempt }) => attempt),
    promptTokens: packNumbers(records.map(({ promptTokens }) => promptTokens)),
    askedPrompt: packNumbers(records.map(({ askedPrompt }) => askedPrompt)),
    askedOutput: packNumbers(records.map(({ askedOutput }) => askedOutput)),
    cachedTokens: packNumbers(records.map(({ cachedTokens }) => cachedTokens)),
    session: integers(({ session }) => session),
    turn: integers(({ turn }) => turn),
    outputTokens: packNumbers(records.map(({ outputTokens }) => outputTokens)),
    tokensEstimated: integers(({ tokensEstimated }) => (tokensEstimated ? 1 : 0)),
    // Absent from older records, and none as a rule: -1 where nobody knows.
    hiddenTokens: integers(({ hiddenTokens }) => (hiddenTokens === 0 ? null : (hiddenTokens ?? -1))),
    contentEvents: integers(({ contentEvents }) => contentEvents),
    stream: integers(({ stream }) => (stream === null ? null : streamBits(stream))),
    timingsSource: texts(({ serverTimings }) => serverTimings?.source ?? null),
    timingsQueue: timing("queueMs"),
    timingsPrefill: timing("prefillMs"),
    timingsDecode: timing("decodeMs"),
    timingsTokens: timing("decodedTokens"),
    reused: integers(({ reusedConnection }) => (reusedConnection === null ? null : Number(reusedConnection))),
    connection: integers(({ connection }) => connection),
    arrivals: integers(({ arrivals }) => arrivals),
    // Values that its groups hold are not written twice.
    longestGap: integers((record) => (isThinned(record) ? microsOrNull(record.longestGapMs) : null)),
    middleGap: integers((record) => (isThinned(record) ? microsOrNull(record.middleGapMs) : null)),
    groups: integers((record) => (isThinned(record) ? record.groups.length : null)),
    groupAt: packIntegers(
      records.flatMap((record) =>
        record.groups.map(({ atMs }, index) => {
          const beforeMs = record.groups[index - 1]?.atMs ?? record.firstTokenMs ?? record.sentMs;
          return microsecondsOf(atMs) - microsecondsOf(beforeMs);
        }),
      ),
    ),
    groupEvents: packIntegers(groups.map(({ events }) => events)),
    groupTokens: packIntegers(groups.map(({ tokens }) => tokens)),
  };
}

/** Members that are instants. */
type Instant = Exclude<Extract<keyof LoadRecord, `${string}Ms`>, "tpotMs" | "longestGapMs" | "middleGapMs">;

/** Its groups were not all kept (`createRecordStore`). */
function isThinned({ arrivals, groups }: LoadRecord): boolean {
  return groups.length !== arrivals;
}

function microsOrNull(ms: number | null): number | null {
  return ms === null ? null : microsecondsOf(ms);
}

function streamBits(stream: StreamFacts): number {
  return streamMembers.reduce((bits, member, place) => bits | (stream[member] ? 1 << place : 0), 0);
}
