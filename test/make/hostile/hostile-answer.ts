import * as fc from "fast-check";
import { endpoints, type EndpointId } from "../../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";
import { BodyCapture } from "../../../src/wire/capture/body-capture.ts";
import { EventStream } from "../../../src/wire/capture/event-stream.ts";
import type { Redactor } from "../../../src/wire/redaction/redaction.ts";
import { hostileStrings } from "./hostile-strings.ts";
import { makeExchange } from "../exchanges/make-exchange.ts";
import { rateLimitHeaderNames } from "../../../src/core/exchange/headers/rate-limit-headers.ts";

const policy = { textBytes: 4096, binaryBytes: 256, digests: true };

/** Pieces of answers, good and bad, that chance puts together. */
const fragments = [
  "data: ",
  "data:",
  "event: ",
  "id: ",
  "retry: 9",
  ":",
  "\n",
  "\r\n",
  "\r",
  "\n\n",
  "[DONE]",
  "\ufeff",
  "\0",
  "{",
  "}",
  "[",
  "]",
  '"',
  ",",
  "\\",
  "null",
  "true",
  "1e999",
  "-0",
  "9".repeat(400),
  "[".repeat(600),
  "]".repeat(600),
  '{"a":'.repeat(600),
  '"choices":[{"index":0,"delta":{"content":"x"}}]',
  '"usage":{"prompt_tokens":1,"completion_tokens":1e308,"total_tokens":-1}',
  '"error":"quota_exceeded"',
  '"retry_after_ms":1e308',
  '"data":[{"embedding":"AAAA"}]',
  '"__proto__":{"x":1}',
  "sk_test_Primary0123456789",
  "%73%6b",
  "&#115;",
  "\ud800",
  "é",
];
const texts = fc.oneof(fc.constantFrom(...hostileStrings), fc.string({ maxLength: 20 }), fc.constantFrom(...fragments));
/** Well-formed answers whose texts and numbers are anything. */
const number = fc.oneof(
  fc.constantFrom(0, -1, 1e308, -1e308, 0.5, 2 ** 53, 2_147_483_648, 1_795_000_000),
  fc.integer({ min: -5, max: 500 }),
);
const shaped = fc.tuple(texts, texts, number, number).map(([one, other, small, large]) =>
  JSON.stringify({
    id: one,
    object: other,
    created: large,
    model: one,
    choices: [{ index: small, message: { role: "assistant", content: other }, delta: { content: one }, finish_reason: one }],
    data: [{ id: one, object: "model", created: small, owned_by: other, index: small, embedding: [small, large], url: one }],
    usage: { prompt_tokens: small, completion_tokens: large, total_tokens: small },
    aggregate: { total_tokens: large, total_cost_usd: small },
    error: { code: one, message: other, details: [{ field: one, expected: other }] },
    text: other,
    "retry-after": small,
    retry_after_ms: large,
    cap_type: one,
  }),
);
const pieces = fc.array(fc.oneof(fc.constantFrom(...fragments), texts), { maxLength: 25 }).map((all) => all.join(""));
const bytes = fc.oneof(
  pieces.map((one) => Buffer.from(one)),
  shaped.map((one) => Buffer.from(one)),
  fc.array(shaped, { maxLength: 3 }).map((all) => Buffer.from(all.map((one) => `data: ${one}\n\n`).join(""))),
  fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one)),
);
const value = fc.oneof(
  texts,
  fc.constantFrom("0", "1", "59", "60", "-1", "1e9", "9".repeat(400), "NaN", "2147483647", "1795253400", "1e15"),
  fc.constantFrom("Fri, 31 Dec 9999 23:59:59 GMT", "Sat, 21 Nov 2026 09:30:00 GMT", "gzip, gzip, br", "total;dur=1e308"),
);
const name = fc.constantFrom(
  "retry-after",
  ...rateLimitHeaderNames,
  "date",
  "age",
  "content-type",
  "content-encoding",
  "server-timing",
  "__proto__",
);
const intent: fc.Arbitrary<Intent> = fc.oneof(
  fc.constantFrom<Intent>(
    { kind: "valid" },
    { kind: "violates", requirement: "CHAT-002", condition: "missing-field", field: "model", twin: null },
    { kind: "violates", requirement: "AUTH-003", condition: "bad-credentials", twin: null },
    { kind: "probe-unspecified", requirement: "USG-039", question: "?" },
    { kind: "housekeeping", purpose: "?" },
  ),
  fc.constantFrom<Intent>(
    ...(["A", "B", "B", "B", "C", "D", "D", "E", "F", "G", "H", "S"] as const).map((phase): Intent => ({
      kind: "limit",
      policy: "requests",
      phase,
    })),
    ...(["reading", "exhaust", "exhausted", "together", "charge-stream-answer"] as const).map((phase): Intent => ({
      kind: "limit",
      policy: "tokens",
      phase,
    })),
    ...(["volley", "volley", "cooldown", "after", "second", "sequential", "below-1", "other-key"] as const).map(
      (phase): Intent => ({ kind: "limit", policy: "burst", phase }),
    ),
    ...(["price", "usage-before", "usage-after", "capped", "raised", "race", "lowered", "account", "cycle-after"] as const).map(
      (phase): Intent => ({ kind: "limit", policy: "spend", phase }),
    ),
  ),
);

const fields = {
  endpoint: fc.constantFrom(...(Object.keys(endpoints) as EndpointId[])),
  status: fc.constantFrom(200, 200, 201, 204, 400, 401, 402, 403, 404, 422, 429, 429, 500, 503, 599),
  headers: fc.array(fc.tuple(name, value), { maxLength: 8 }),
  cuts: fc.array(fc.nat(250), { maxLength: 4 }),
  codings: fc.constantFrom<readonly string[]>([], [], [], ["gzip"], ["br", "deflate"]),
  streamed: fc.boolean(),
  bytes,
  stage: fc.constantFrom("conformance" as const, "limits" as const, "load" as const),
  keyName: fc.constantFrom("primary", "primary", "secondary", null),
  intent,
  pauseMs: fc.constantFrom(0, 1, 500, 20_000, 61_000),
};

/** The answer of a target to one request, and the request itself. */
export const hostileAnswer: fc.Arbitrary<HostileAnswer> = fc.record(fields);

export interface HostileAnswer {
  readonly endpoint: EndpointId;
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly cuts: readonly number[];
  readonly codings: readonly string[];
  readonly streamed: boolean;
  readonly bytes: Buffer;
  readonly stage: "conformance" | "limits" | "load";
  readonly keyName: string | null;
  readonly intent: Intent;
  readonly pauseMs: number;
}

/** As capture records it, its bytes cut into reads wherever. */
export function recordAnswer(one: HostileAnswer, seq: number, sentMs: number, redactor: Redactor): Exchange {
  const places = [0, ...one.cuts.map((cut) => cut % (one.bytes.length + 1)).toSorted((a, b) => a - b), one.bytes.length];
  const reads = places.slice(1).map((to, index) => one.bytes.subarray(places[index], to));
  const { maskDeep } = redactor;
  const load = { kind: "load", profile: "fuzz", phase: "measure" } as const;
  const base = makeExchange({
    seq,
    endpoint: one.endpoint,
    status: one.status,
    stage: one.stage,
    keyName: one.stage === "load" ? "primary" : one.keyName,
    intent: one.stage === "load" ? load : one.intent,
    sent: { model: "m", stream: one.streamed },
    sentMs,
  });
  const headers = [...base.response!.headers, ...one.headers.map(([field, text]) => [field, maskDeep(text)] as const)];
  const recorded = { ...base.response!, headers };
  if (one.streamed) {
    const stream = new EventStream({ events: 20, eventLength: 2000, take: () => true, recordBytes: () => 0 });
    for (const [read, chunk] of reads.entries()) {
      const atMs = sentMs + 1 + read;
      stream.write(chunk, { read, atMs, earliestMs: atMs, latestMs: atMs });
    }
    const pendingAtEnd = stream.end();
    const { comments, validUtf8 } = stream;
    const events = stream.list(maskDeep);
    const seen = { events, comments, pendingAtEnd, validUtf8, bytes: one.bytes.length, sha256: "" };
    return { ...base, response: { ...recorded, body: null, stream: seen } };
  }
  const body = new BodyCapture(policy, { ...redactor, mask: maskDeep }, one.codings, () => true);
  for (const chunk of reads) body.write(chunk);
  return { ...base, response: { ...recorded, body: body.end() } };
}
