import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Result } from "../../../src/core/result/result.ts";
import { type ExchangeDraft, makeExchange } from "../exchanges/make-exchange.ts";
import { streamed } from "../exchanges/make-stream.ts";

/** One exchange for each sequence number that the findings cite. */
export function sampleEvidence(result: Result): readonly Exchange[] {
  const cited = new Set(result.findings.flatMap((finding) => finding.exchanges));
  return [...cited].sort((a, b) => a - b).map((seq) => (seq >= 700 ? answered(seq) : seq >= 100 ? limited(seq) : rejected(seq)));
}

/** As the wire records a request that carries a key. */
function withKey(draft: ExchangeDraft): Exchange {
  const exchange = makeExchange(draft);
  return { ...exchange, request: { ...exchange.request, headers: [["authorization", "Bearer <key:primary>"]] } };
}

function rejected(seq: number): Exchange {
  return withKey({
    seq,
    caseId: "chat/temperature-above-max",
    label: "temperature-2.1",
    intent: { kind: "violates", requirement: "CHAT-014", condition: "out-of-range", field: "temperature", twin: "temperature-2" },
    endpoint: "chat",
    sent: { model: "orion-1", messages: [{ role: "user", content: "ping" }], temperature: 2.1 },
    status: seq % 2 === 0 ? 400 : 200,
    headers: [
      ["x-ratelimit-limit-requests", "600"],
      ["x-ratelimit-remaining-requests", "588"],
    ],
    received: { error: { code: "invalid_request", message: "temperature is fine", details: [] } },
    sentMs: seq * 31,
    endMs: seq * 31 + 44.1,
  });
}

function limited(seq: number): Exchange {
  return withKey({
    seq,
    stage: "limits",
    caseId: "limits/requests-models",
    label: `drain-${seq}`,
    intent: { kind: "limit", policy: "requests", phase: "D" },
    status: seq % 3 === 0 ? 429 : 200,
    headers: [
      ["retry-after", "6"],
      ["x-ratelimit-remaining-requests", "0"],
    ],
    received: { error: { code: "rate_limited", message: "too many requests" }, "retry-after": 6 },
    sentMs: 64_000 + seq * 13,
    endMs: 64_000 + seq * 13 + 22,
  });
}

function answered(seq: number): Exchange {
  const sentMs = 372_000 + seq;
  const words = Array.from({ length: 11 }, (_, index) => ({ choices: [{ delta: { content: ` word${index}` } }] }));
  return streamed([...words, "[DONE]"], {
    seq,
    stage: "load",
    caseId: "chat-stream-steady",
    label: `stream-${seq}`,
    intent: { kind: "load", profile: "chat-stream-steady", phase: "measure" },
    sent: { model: "orion-1", stream: true },
    sentMs,
    endMs: sentMs + 372,
    stampsMs: Array.from({ length: 12 }, (_, index) => sentMs + 190 + index * 14),
  });
}
