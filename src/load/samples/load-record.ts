import type { Exchange } from "../../core/exchange/exchange.ts";
import type { NotSentReason, OutcomeClass } from "../../core/result/load-outcome.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { isJsonObject } from "../../core/exchange/recorded-json.ts";
import { roundToMicroseconds } from "../../core/ledger/round-to-microseconds.ts";
import { classifyOutcome } from "./classify-outcome.ts";
import type { ServiceLevel, WorkloadEndpoint } from "../profile/load-profile.ts";
import { mostTokens } from "./most-tokens.ts";
import { readServerTiming } from "./read-server-timing.ts";
import { followStream, type ArrivalGroup, type ServerTimings, type StreamProgress } from "./stream-progress.ts";

/** Figures of one request; instants in milliseconds on the run clock, null where they do not apply (never 0). */
export interface LoadRecord {
  readonly seq: number;
  readonly endpoint: WorkloadEndpoint;
  readonly label: string;
  readonly phase: "warm-up" | "measure";
  readonly step: number;
  /** When the schedule wanted the first attempt sent; closed loops: when the slot was free. */
  readonly intendedMs: number;
  /** The generator handed it to the wire; later than `intendedMs` by its own doing, earlier than `sentMs` by connecting. */
  readonly issuedMs: number;
  readonly sentMs: number;
  readonly headersMs: number | null;
  readonly firstByteMs: number | null;
  readonly firstEventMs: number | null;
  readonly firstTokenMs: number | null;
  readonly firstTokenEarliestMs: number | null;
  readonly firstOutputMs: number | null;
  /** Last content event of a stream, last byte of any other answer. */
  readonly answeredMs: number;
  /** Last byte or failure. */
  readonly endMs: number;
  readonly status: number | null;
  readonly outcome: OutcomeClass;
  /** Why it never left; null for whatever did. */
  readonly notSent: NotSentReason | null;
  /** 1 for the first attempt; repetitions after a transport race do not count. */
  readonly attempt: number;
  readonly good: boolean;
  readonly promptTokens: number | null;
  readonly outputTokens: number | null;
  /** Token count derived from chunks because the server reported none. */
  readonly tokensEstimated: boolean;
  /** Network reads that brought content. */
  readonly arrivals: number;
  /** When each of them came; of streams beyond what a ledger has room for (`createRecordStore`) the first alone. */
  readonly groups: readonly ArrivalGroup[];
  /** Longest time between two arrivals; null with fewer than two. */
  readonly longestGapMs: number | null;
  /** Median time between two arrivals; kept for streams that came in clumps (`leastEventsOfClump`) only. */
  readonly middleGapMs: number | null;
  readonly contentEvents: number;
  readonly tpotMs: number | null;
  readonly tpotEstimated: boolean;
  readonly stream: StreamFacts | null;
  readonly serverTimings: ServerTimings | null;
  readonly reusedConnection: boolean | null;
  /** Number of the connection, of the worker that sent it; null where there was none. */
  readonly connection: number | null;
}

/** What the detectors of stream honesty look at. */
export interface StreamFacts {
  readonly done: boolean;
  readonly finished: boolean;
  readonly broken: boolean;
  readonly continuousUsage: boolean;
}

export interface RecordContext {
  readonly endpoint: WorkloadEndpoint;
  readonly label: string;
  readonly phase: LoadRecord["phase"];
  readonly step: number;
  /** Of the logical request: that of the first attempt. */
  readonly intendedMs: number;
  readonly issuedMs: number;
  readonly slo: ServiceLevel;
  /** Attempts before this one that a closed idle connection swallowed. */
  readonly races?: number;
}

export interface MeasuredExchange {
  readonly record: LoadRecord;
  /** Text of the answer, for the next turn of a session. */
  readonly text: string;
}

/**
 * Derives the figures of one exchange. Definitions: time to first token counts from the send to the first event with
 * content, reasoning or tool calls, never from headers; end to end ends with the last content event, so that a trailing
 * usage chunk does not count; chunks are never taken for tokens without saying so.
 */
export function measureExchange(exchange: Exchange, context: RecordContext): MeasuredExchange {
  const { timing, response } = exchange;
  const stream = response?.stream ?? null;
  const facts = factsOf(exchange);
  const progress = stream === null ? null : followStream(stream, facts.eventValues);
  const outcome = classifyOutcome(facts, progress);
  const usage = facts.usage;
  const answeredMs = progress?.lastContentMs ?? timing.endMs;
  const tokens = countTokens(progress, usage?.completionTokens ?? null);
  const headerTimings = response === null ? null : readServerTiming(response.headers);
  // One literal, completed in place: a profile may hold a million of these, and copying them by spread costs twice.
  const record: OpenRecord = {
    seq: exchange.seq,
    endpoint: context.endpoint,
    label: context.label,
    phase: context.phase,
    step: context.step,
    intendedMs: roundToMicroseconds(context.intendedMs),
    issuedMs: roundToMicroseconds(context.issuedMs),
    sentMs: roundToMicroseconds(timing.sentMs),
    headersMs: rounded(timing.headersMs),
    firstByteMs: rounded(timing.firstByteMs),
    firstEventMs: rounded(progress?.firstEventMs),
    firstTokenMs: rounded(progress?.firstTokenMs),
    firstTokenEarliestMs: rounded(progress?.firstTokenEarliestMs),
    firstOutputMs: rounded(progress?.firstOutputMs),
    answeredMs: roundToMicroseconds(answeredMs),
    endMs: roundToMicroseconds(timing.endMs),
    status: response?.status ?? null,
    outcome,
    notSent: outcome === "not-sent" ? "budget" : null,
    attempt: exchange.attempt - (context.races ?? 0),
    good: false,
    promptTokens: (usage?.promptTokens ?? Infinity) <= mostTokens ? (usage?.promptTokens ?? null) : null,
    outputTokens: tokens.count,
    tokensEstimated: tokens.estimated,
    arrivals: progress?.groups.length ?? 0,
    groups: progress === null ? noGroups : roundGroups(progress.groups),
    longestGapMs: null,
    middleGapMs: null,
    contentEvents: progress?.contentEvents ?? 0,
    tpotMs: null,
    tpotEstimated: false,
    stream:
      stream === null || progress === null
        ? null
        : {
            done: progress.done,
            finished: progress.done || progress.finishReason !== null,
            broken: stream.pendingAtEnd || !stream.validUtf8 || progress.unreadable > 0,
            continuousUsage: progress.continuousUsage,
          },
    serverTimings: progress?.timings ?? headerTimings,
    reusedConnection: exchange.connection?.reused ?? null,
    connection: exchange.connection?.id ?? null,
  };
  const gaps = deriveGaps(record);
  record.longestGapMs = gaps.longestGapMs;
  record.middleGapMs = gaps.middleGapMs;
  const figures = deriveFigures(record, context.slo);
  record.tpotMs = figures.tpotMs;
  record.tpotEstimated = figures.tpotEstimated;
  record.good = figures.good;
  return { record, text: progress?.text ?? answerText(facts.responseJson) };
}

const noGroups: readonly ArrivalGroup[] = [];

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : roundToMicroseconds(ms);
}

function roundGroups(groups: readonly ArrivalGroup[]): readonly ArrivalGroup[] {
  return groups.map(({ atMs, events, tokens }) => ({ atMs: roundToMicroseconds(atMs), events, tokens }));
}

/** A record whose derived members are still to be filled in. */
type OpenRecord = { -readonly [Member in keyof LoadRecord]: LoadRecord[Member] };

/** Chunks a read, on average, from which on they came in clumps. */
export const leastEventsOfClump: number = 3;

/** What follows from the arrivals of a stream, which must all be there. */
export function deriveGaps({
  groups,
  contentEvents,
}: Pick<LoadRecord, "groups" | "contentEvents">): Pick<LoadRecord, "longestGapMs" | "middleGapMs"> {
  if (groups.length < 2) return noGaps;
  let longest = 0;
  for (let at = 1; at < groups.length; at += 1) longest = Math.max(longest, gapBefore(groups, at));
  const longestGapMs = roundToMicroseconds(longest);
  if (groups.length < 3 || contentEvents < leastEventsOfClump * groups.length) return { longestGapMs, middleGapMs: null };
  const gaps = Float64Array.from({ length: groups.length - 1 }, (_, at) => gapBefore(groups, at + 1)).sort();
  return { longestGapMs, middleGapMs: roundToMicroseconds(gaps[Math.floor(gaps.length / 2)] ?? 0) };
}

const noGaps = { longestGapMs: null, middleGapMs: null } as const;

function gapBefore(groups: readonly ArrivalGroup[], at: number): number {
  return (groups[at]?.atMs ?? 0) - (groups[at - 1]?.atMs ?? 0);
}

/** What follows from the other members. */
export function deriveFigures(
  record: Omit<LoadRecord, "tpotMs" | "tpotEstimated" | "good">,
  slo: ServiceLevel,
): Pick<LoadRecord, "tpotMs" | "tpotEstimated" | "good"> {
  const { value: tpotMs, estimated: tpotEstimated } = timePerOutputToken(record);
  return { tpotMs, tpotEstimated, good: isGood(record, tpotMs, slo) };
}

/** A record of a send that never left. */
export function notSentRecord(context: RecordContext, reason: NotSentReason): LoadRecord {
  return unansweredRecord(context, "not-sent", reason, context.issuedMs);
}

/** A record of a request that we gave up and that nothing more is known of. */
export function givenUpRecord(context: RecordContext, endMs: number): LoadRecord {
  return unansweredRecord(context, "interrupted", null, endMs);
}

function unansweredRecord(
  context: RecordContext,
  outcome: "not-sent" | "interrupted",
  notSent: NotSentReason | null,
  endMs: number,
): LoadRecord {
  return {
    seq: 0,
    endpoint: context.endpoint,
    label: context.label,
    phase: context.phase,
    step: context.step,
    intendedMs: roundToMicroseconds(context.intendedMs),
    issuedMs: roundToMicroseconds(context.issuedMs),
    sentMs: roundToMicroseconds(context.issuedMs),
    headersMs: null,
    firstByteMs: null,
    firstEventMs: null,
    firstTokenMs: null,
    firstTokenEarliestMs: null,
    firstOutputMs: null,
    answeredMs: roundToMicroseconds(endMs),
    endMs: roundToMicroseconds(endMs),
    status: null,
    outcome,
    notSent,
    attempt: 1,
    good: false,
    promptTokens: null,
    outputTokens: null,
    tokensEstimated: false,
    arrivals: 0,
    groups: [],
    longestGapMs: null,
    middleGapMs: null,
    contentEvents: 0,
    tpotMs: null,
    tpotEstimated: false,
    stream: null,
    serverTimings: null,
    reusedConnection: null,
    connection: null,
  };
}

function isGood(
  record: Pick<LoadRecord, "outcome" | "firstTokenMs" | "sentMs" | "stream" | "answeredMs" | "intendedMs">,
  tpotMs: number | null,
  slo: ServiceLevel,
): boolean {
  if (record.outcome !== "ok") return false;
  const ttft = record.firstTokenMs === null ? null : record.firstTokenMs - record.sentMs;
  // A stream without any token is no good answer where time to first token is promised.
  if (slo.ttftMs !== null && record.stream !== null && (ttft === null || ttft > slo.ttftMs)) return false;
  if (slo.tpotMs !== null && tpotMs !== null && tpotMs > slo.tpotMs) return false;
  return slo.userLatencyMs === null || record.answeredMs - record.intendedMs <= slo.userLatencyMs;
}

interface TokenCount {
  readonly count: number | null;
  readonly estimated: boolean;
}

function countTokens(progress: StreamProgress | null, claimed: number | null): TokenCount {
  const reported = claimed !== null && claimed <= mostTokens ? claimed : null;
  if (reported !== null) return { count: reported, estimated: false };
  return progress === null || progress.contentEvents === 0
    ? { count: null, estimated: false }
    : { count: progress.contentEvents, estimated: true };
}

/** (last content - first token) / (tokens - tokens of the first arrival); null when nothing is left to divide by. */
function timePerOutputToken(record: Omit<LoadRecord, "tpotMs" | "tpotEstimated" | "good">): {
  value: number | null;
  estimated: boolean;
} {
  const { firstTokenMs, answeredMs, outputTokens, contentEvents } = record;
  const first = record.groups[0];
  if (first === undefined || outputTokens === null || firstTokenMs === null) return { value: null, estimated: false };
  const exactFirst = first.tokens ?? (outputTokens === contentEvents && !record.tokensEstimated ? first.events : null);
  const inFirst = exactFirst ?? (outputTokens * first.events) / contentEvents;
  const rest = outputTokens - inFirst;
  const span = answeredMs - firstTokenMs;
  if (rest <= 0 || span <= 0) return { value: null, estimated: false };
  return { value: span / rest, estimated: exactFirst === null };
}

function answerText(body: unknown): string {
  if (!isJsonObject(body) || !Array.isArray(body["choices"])) return "";
  const choice: unknown = body["choices"][0];
  const message = isJsonObject(choice) ? choice["message"] : null;
  const content = isJsonObject(message) ? message["content"] : null;
  return typeof content === "string" ? content : "";
}
