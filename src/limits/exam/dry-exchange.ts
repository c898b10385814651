import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SendRequest } from "../../core/exchange/send-request.ts";
import type { DryAnswer } from "./dry-target.ts";

/** A round trip to the model of a target, ms. */
export const roundTripMs = 30;

/** An answer of the model, and when it was asked for. */
export interface DryFacts {
  readonly seq: number;
  readonly request: SendRequest;
  readonly answer: DryAnswer;
  readonly sentMs: number;
  readonly wallMs: number;
  readonly headersMs: number;
}

/** As the wire would record it. */
export function exchangeOf({ seq, request, answer, sentMs, wallMs, headersMs }: DryFacts): Exchange {
  const { status, body } = answer;
  return {
    seq,
    stage: request.stage,
    caseId: request.caseId,
    label: request.label,
    intent: request.intent,
    endpoint: request.endpoint,
    keyName: "key" in request.credential ? request.credential.key : null,
    attempt: 1,
    retryOf: null,
    request: {
      method: request.method,
      path: request.path,
      headers: [],
      body: request.body?.kind === "json" ? recordOf(request.body.value) : null,
    },
    response: {
      status,
      headers: [...headersOf(answer), ["date", dateOf(wallMs + roundTripMs / 2)], ["content-type", "application/json"]],
      body: recordOf(body),
      stream: null,
    },
    failure: null,
    timing: { intendedMs: null, sentMs, headersMs, firstByteMs: headersMs, endMs: headersMs, wallMs },
    connection: { id: 1, reused: true },
  };
}

function headersOf({ limits, retryAfterSeconds }: DryAnswer): readonly (readonly [string, string])[] {
  const wait = retryAfterSeconds === null ? [] : [["retry-after", String(retryAfterSeconds)] as const];
  if (limits === null) return wait;
  const reset = String(limits.reset);
  return [
    ["x-ratelimit-limit-requests", String(limits.requests)],
    ["x-ratelimit-remaining-requests", String(limits.requestsLeft)],
    ["x-ratelimit-reset-requests", reset],
    ["x-ratelimit-limit-tokens", String(limits.tokens)],
    ["x-ratelimit-remaining-tokens", String(limits.tokensLeft)],
    ["x-ratelimit-reset-tokens", reset],
    ...wait,
  ];
}

/** Bodies by their text: a large limit takes tens of thousands of requests that are alike. */
const records = new Map<string, NonNullable<Exchange["request"]["body"]>>();
const recordsKept = 200;

function recordOf(value: unknown): NonNullable<Exchange["request"]["body"]> {
  const text = JSON.stringify(value);
  const known = records.get(text);
  if (known !== undefined) return known;
  if (records.size === recordsKept) records.clear();
  const record = { bytes: text.length, sha256: "", text, truncated: false };
  records.set(text, record);
  return record;
}

const latestDate = { second: 0, text: "" };

function dateOf(unixMs: number): string {
  const second = Math.floor(unixMs / 1000);
  if (second !== latestDate.second) Object.assign(latestDate, { second, text: new Date(unixMs).toUTCString() });
  return latestDate.text;
}
