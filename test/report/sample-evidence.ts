import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Result } from "../../src/core/result/result.ts";

/** One exchange for each sequence number that the findings cite. */
export function sampleEvidence(result: Result): readonly Exchange[] {
  const cited = new Set(result.findings.flatMap((finding) => finding.exchanges));
  return [...cited].sort((a, b) => a - b).map((seq) => (seq >= 700 ? streamed(seq) : seq >= 100 ? limited(seq) : rejected(seq)));
}

const digest = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

function base(seq: number): Pick<Exchange, "seq" | "attempt" | "retryOf" | "failure" | "connection" | "keyName"> {
  return { seq, attempt: 1, retryOf: null, failure: null, connection: { id: 3, reused: true }, keyName: "primary" };
}

function timing(sentMs: number, headersMs: number, endMs: number): Exchange["timing"] {
  return { intendedMs: null, sentMs, headersMs, firstByteMs: headersMs + 0.4, endMs, wallMs: 1_763_700_000_000 + sentMs };
}

function rejected(seq: number): Exchange {
  const body = JSON.stringify({ error: { code: "invalid_request", message: "temperature is fine", details: [] } });
  return {
    ...base(seq),
    stage: "conformance",
    caseId: "chat/temperature-above-max",
    label: "temperature-2.1",
    intent: { kind: "violates", requirement: "CHAT-014", condition: "out-of-range", field: "temperature", twin: "temperature-2" },
    endpoint: "chat",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [
        ["authorization", "Bearer <key:primary>"],
        ["content-type", "application/json"],
      ],
      body: {
        bytes: 92,
        sha256: digest,
        text: '{"model":"orion-1","messages":[{"role":"user","content":"ping"}],"temperature":2.1}',
        truncated: false,
      },
    },
    response: {
      status: seq % 2 === 0 ? 400 : 200,
      headers: [
        ["content-type", "application/json; charset=utf-8"],
        ["x-ratelimit-limit-requests", "600"],
        ["x-ratelimit-remaining-requests", "588"],
        ["date", "Sat, 21 Nov 2026 05:10:03 GMT"],
      ],
      body: { bytes: body.length, sha256: digest, text: body, truncated: false },
      stream: null,
    },
    timing: timing(seq * 31, seq * 31 + 42.5, seq * 31 + 44.1),
  };
}

function limited(seq: number): Exchange {
  const body = JSON.stringify({ error: { code: "rate_limited", message: "too many requests" }, "retry-after": 6 });
  return {
    ...base(seq),
    stage: "limits",
    caseId: "limits/requests-models",
    label: `drain-${seq}`,
    intent: { kind: "limit", policy: "requests", phase: "D" },
    endpoint: "models",
    request: { method: "GET", path: "/v1/models", headers: [["authorization", "Bearer <key:primary>"]], body: null },
    response: {
      status: seq % 3 === 0 ? 429 : 200,
      headers: [
        ["content-type", "application/json"],
        ["retry-after", "6"],
        ["x-ratelimit-remaining-requests", "0"],
      ],
      body: { bytes: body.length, sha256: digest, text: body, truncated: false },
      stream: null,
    },
    timing: timing(64_000 + seq * 13, 64_000 + seq * 13 + 21, 64_000 + seq * 13 + 22),
  };
}

function streamed(seq: number): Exchange {
  const sentMs = 372_000 + seq;
  return {
    ...base(seq),
    stage: "load",
    caseId: "chat-stream-steady",
    label: `stream-${seq}`,
    intent: { kind: "load", profile: "chat-stream-steady", phase: "measure" },
    endpoint: "chat",
    request: {
      method: "POST",
      path: "/v1/chat/completions",
      headers: [["content-type", "application/json"]],
      body: { bytes: 40, sha256: digest, text: '{"model":"orion-1","stream":true}', truncated: false },
    },
    response: {
      status: 200,
      headers: [["content-type", "text/event-stream"]],
      body: null,
      stream: {
        events: Array.from({ length: 12 }, (_, index) => ({
          atMs: sentMs + 190 + index * 14,
          earliestMs: sentMs + 189.6 + index * 14,
          read: index,
          event: "message",
          data: index === 11 ? "[DONE]" : JSON.stringify({ choices: [{ delta: { content: ` word${index}` } }] }),
        })),
        comments: 0,
        pendingAtEnd: false,
        validUtf8: true,
        bytes: 960,
        sha256: digest,
      },
    },
    timing: timing(sentMs, sentMs + 120, sentMs + 372),
  };
}
