import { factsOf } from "../../core/exchange/exchange-facts.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { isJsonObject } from "../../core/exchange/bodies/recorded-json.ts";
import { roundToMicroseconds } from "../../core/columns/round-to-microseconds.ts";
import { hasOwnForm } from "../../core/exchange/bodies/stream-end.ts";
import { classifyOutcome } from "./classify-outcome.ts";
import { deriveFigures, deriveGaps } from "./derive-figures.ts";
import type { LoadRecord, RecordContext, StreamFacts } from "./load-record.ts";
import { followStream, type ArrivalGroup, type StreamProgress, type ServerTimings, mostTokens } from "./stream-progress.ts";
import type { TokenUsage } from "../../core/exchange/bodies/token-usage.ts";
import { headerValues, type HeaderList } from "../../core/exchange/headers/header-list.ts";
import { isNamed } from "../../core/is-named.ts";

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
  const ended = classifyOutcome(facts, context.isFormKnown === true);
  // A client that meant to go is no sample of those that stay: an answer that ended before it went is short by choice of it.
  const outcome = ended === "ok" && context.leaves === true ? "left" : ended;
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
    maybeGood: false,
    promptTokens: (usage?.promptTokens ?? Infinity) <= mostTokens ? (usage?.promptTokens ?? null) : null,
    askedPrompt: context.askedPrompt ?? null,
    askedOutput: context.askedOutput ?? null,
    cachedTokens: usage?.cachedTokens ?? null,
    session: context.session ?? null,
    turn: context.turn ?? null,
    outputTokens: tokens.count,
    tokensEstimated: tokens.estimated,
    hiddenTokens: countHidden(progress, tokens, usage),
    arrivals: progress?.groups.length ?? 0,
    groups: progress === null ? noGroups : roundGroups(progress.groups),
    longestGapMs: null,
    middleGapMs: null,
    contentEvents: progress?.contentEvents ?? 0,
    tpotMs: null,
    tpotEstimated: false,
    stream:
      stream === null || progress === null
        ? outcome === "timed-out" && response === null && facts.asksForStream
          ? neverBegun
          : null
        : {
            done: facts.streamEnd.done,
            finished: ended === "ok" || facts.streamEnd.done || facts.streamEnd.finishReason !== null,
            broken: stream.pendingAtEnd || !stream.validUtf8 || (facts.streamEnd.isKnownForm && facts.streamEnd.unreadable > 0),
            continuousUsage: progress.continuousUsage,
            ...(hasOwnForm(facts.streamEnd) && { ownForm: true }),
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
  record.maybeGood = figures.maybeGood;
  return { record, text: progress?.text ?? answerText(facts.responseJson) };
}

/** Of a stream that was asked for and given up before its head. */
const neverBegun: StreamFacts = { done: false, finished: false, broken: false, continuousUsage: false };

const noGroups: readonly ArrivalGroup[] = [];

function rounded(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : roundToMicroseconds(ms);
}

function roundGroups(groups: readonly ArrivalGroup[]): readonly ArrivalGroup[] {
  return groups.map(({ atMs, events, tokens }) => ({ atMs: roundToMicroseconds(atMs), events, tokens }));
}

/** A record whose derived members are still to be filled in. */
type OpenRecord = { -readonly [Member in keyof LoadRecord]: LoadRecord[Member] };

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

/** Null where chunks stand for tokens, and where usage counts more than what arrived can hold. */
function countHidden(progress: StreamProgress | null, { count, estimated }: TokenCount, usage: TokenUsage | null): number | null {
  if (progress === null || count === null) return 0;
  if (estimated) return null;
  const hidden = progress.reasoned ? 0 : Math.min(count, usage?.reasoningTokens ?? 0);
  return count - hidden > progress.contentLength ? null : hidden;
}

function answerText(body: unknown): string {
  if (!isJsonObject(body) || !Array.isArray(body["choices"])) return "";
  const choice: unknown = body["choices"][0];
  const message = isJsonObject(choice) ? choice["message"] : null;
  const content = isJsonObject(message) ? message["content"] : null;
  return typeof content === "string" ? content : "";
}

const fieldName = "server-timing";

/** Reads `Server-Timing: queue;dur=1.2, prefill;dur=80, decode;dur=300` (W3C Server Timing); null when nothing of it is there. */
function readServerTiming(headers: HeaderList): ServerTimings | null {
  // Called for every response: the usual answer is that there is none.
  if (!headers.some(([name]) => isNamed(name, fieldName))) return null;
  const durations = new Map<string, number>();
  for (const value of headerValues(headers, fieldName)) {
    for (const metric of value.split(",")) {
      const [name = "", ...parameters] = metric.split(";").map((part) => part.trim());
      const duration = parameters.map((parameter) => /^dur\s*=\s*"?([0-9.]+)"?$/i.exec(parameter)?.[1]).find(Boolean);
      if (duration !== undefined && Number.isFinite(Number(duration))) durations.set(name.toLowerCase(), Number(duration));
    }
  }
  const queueMs = durations.get("queue") ?? null;
  const prefillMs = durations.get("prefill") ?? null;
  const decodeMs = durations.get("decode") ?? null;
  if (queueMs === null && prefillMs === null && decodeMs === null) return null;
  return { source: "server-timing", queueMs, prefillMs, decodeMs, decodedTokens: null };
}
