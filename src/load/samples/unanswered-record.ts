import { roundToMicroseconds } from "../../core/columns/round-to-microseconds.ts";
import type { NotSentReason } from "../../core/result/load-outcome.ts";
import type { LoadRecord, RecordContext } from "./load-record.ts";

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
    maybeGood: false,
    promptTokens: null,
    askedPrompt: context.askedPrompt ?? null,
    askedOutput: context.askedOutput ?? null,
    cachedTokens: null,
    session: context.session ?? null,
    turn: context.turn ?? null,
    outputTokens: null,
    tokensEstimated: false,
    hiddenTokens: 0,
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
