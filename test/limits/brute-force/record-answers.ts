import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { play, type Answer, type Schedule } from "./lawful-history.ts";

/** The record that a run would have made of a schedule. The service's clock starts at an instant that the schedule fixes. */
export function recordAnswers(schedule: Schedule): readonly Exchange[] {
  const epochMs = 1_763_700_000_000 + schedule.epochShiftMs;
  return play(schedule, epochMs + schedule.limiterAheadMs).map((answer) => exchangeOf(schedule, answer, epochMs));
}

function exchangeOf(schedule: Schedule, answer: Answer, epochMs: number): Exchange {
  const { seq, sentMs, headersMs, outcome } = answer;
  const answered = outcome !== "lost";
  const endMs = answered ? headersMs : sentMs + 5000;
  return {
    seq,
    stage: "limits",
    caseId: "limits/requests",
    label: String(seq),
    intent: { kind: "limit", policy: "requests", phase: "B" },
    endpoint: "models",
    keyName: "primary",
    attempt: 1,
    retryOf: null,
    request: { method: "GET", path: "/v1/models", headers: [], body: null },
    response: answered ? responseOf(schedule, answer, epochMs) : null,
    failure: answered ? null : { kind: "timeout", message: "no answer" },
    timing: {
      intendedMs: null,
      sentMs,
      headersMs: answered ? headersMs : null,
      firstByteMs: answered ? headersMs : null,
      endMs,
      wallMs: epochMs + sentMs,
    },
    connection: null,
  };
}

function responseOf(schedule: Schedule, answer: Answer, epochMs: number): Exchange["response"] {
  const dateMs = epochMs + answer.decidedMs + answer.skewMs;
  const date = new Date(Math.floor(dateMs / 1000) * 1000).toUTCString();
  if (answer.outcome === "free") {
    return { status: 422, headers: [["date", date]], body: null, stream: null };
  }
  const round = schedule.roundReset === "floor" ? Math.floor : schedule.roundReset === "round" ? Math.round : Math.ceil;
  const headers: [string, string][] = [
    ["date", date],
    ["x-ratelimit-limit-requests", String(schedule.options.limit)],
    ["x-ratelimit-remaining-requests", String(answer.remaining)],
    ["x-ratelimit-reset-requests", String(round(answer.resetMs / 1000))],
  ];
  if (answer.outcome === "admitted") return { status: 200, headers, body: null, stream: null };
  const wait = Math.ceil(answer.waitMs / 1000);
  const text = JSON.stringify({ error: { code: "rate_limit_exceeded" }, "retry-after": wait });
  return {
    status: 429,
    headers: [...headers, ["retry-after", String(wait)]],
    body: { bytes: text.length, sha256: "", text, truncated: false },
    stream: null,
  };
}
