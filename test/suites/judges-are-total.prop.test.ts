import { completeManifest } from "../../src/config/complete-manifest.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import type { JudgeContext } from "../../src/conformance/judging/judge.ts";
import { endpoints, type EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { readCatalogue } from "../../src/schemas/read-catalogue.ts";
import { textBody } from "../make/exchanges/make-exchange.ts";
import { isWhole, sampleOf } from "../make/runner/sample.ts";
import type { JsonValue } from "../../src/conformance/judging/json-value.ts";
import { spoilValue } from "../conformance/spoil-exchange.ts";

const manifest: Manifest = {
  ...completeManifest({ target: { name: "any", baseUrl: "http://127.0.0.1:1" } }),
  keys: { primary: { secret: "", id: null, createdAtMs: null } },
  models: { chat: "chat-model", embedding: "embedding-model", transcription: "audio-model" },
  exclusive: true,
};
const context: JudgeContext = openJudgeContext(manifest);
const known = new Set(readCatalogue().map(({ id }) => id));

/** Words that bodies of this service are made of, so that chance reaches below the first level. */
const word = fc.constantFrom(
  "object",
  "data",
  "error",
  "code",
  "details",
  "choices",
  "message",
  "usage",
  "index",
  "embedding",
  "url",
  "created",
  "aggregate",
  "timestamp",
  "total_tokens",
  "total_cost_usd",
  "id",
  "model",
  "text",
  "delta",
  "finish_reason",
  "field",
  "retry-after",
  "retry_after_ms",
  "cap_type",
  "role",
  "content",
  "tool_calls",
  "prompt_tokens",
  "revised_prompt",
);
const { tree: body } = fc.letrec<{ tree: unknown; leaf: unknown }>((tie) => ({
  leaf: fc.oneof(
    fc.constantFrom(
      "list",
      "embedding",
      "model",
      "chat.completion",
      "assistant",
      "quota_exceeded",
      "stop",
      "2026-01-01T00:00:00Z",
    ),
    fc.constantFrom(null, true, "", 0, 1, -1, 1.5, 1e13, 1e300),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
  ),
  tree: fc.oneof(
    { maxDepth: 5, depthSize: "small" },
    tie("leaf"),
    fc.array(tie("tree"), { maxLength: 3 }),
    fc.dictionary(word, tie("tree"), { maxKeys: 6 }),
  ),
}));

/** Lawful answers; a change of any of them reaches every place that a schema knows. */
const usage = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 };
const answers: readonly JsonValue[] = [
  {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1_795_000_000,
    model: "chat-model",
    choices: [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }],
    usage,
  },
  {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1_795_000_000,
    model: "chat-model",
    choices: [{ index: 0, delta: { role: "assistant", content: "hi", tool_calls: [{ index: 0 }] }, finish_reason: null }],
    usage,
  },
  { object: "list", data: [{ object: "embedding", index: 0, embedding: [0.6, 0.8] }], model: "embedding-model", usage },
  { object: "list", data: [{ object: "embedding", index: 0, embedding: "AACAPwAAAAA=" }], model: "embedding-model", usage },
  { created: 1_795_000_000, data: [{ url: "http://127.0.0.1/1.png", revised_prompt: "a" }] },
  { text: "hello" },
  { object: "list", data: [{ id: "chat-model", object: "model", created: 1_795_000_000, owned_by: "us" }] },
  {
    object: "list",
    data: [{ timestamp: "2026-01-01T00:00:00Z", ...usage, cost_usd: 0.5 }],
    aggregate: { total_tokens: 5, total_cost_usd: 0.5 },
  },
  { error: { code: "invalid", message: "no", details: [{ field: "input", expected: "string" }] } },
  { error: { code: "limited" }, "retry-after": 3 },
  { error: "quota_exceeded", retry_after_ms: 1000, cap_type: "monthly_spend" },
];
const changed = answers.flatMap((answer) => [answer, ...[...spoilValue(answer)].map(([, value]) => value)]);
const requests = [
  { model: "chat-model", messages: [{ role: "user", content: "hi" }], max_tokens: 1 },
  { model: "chat-model", messages: [{ role: "user", content: "hi" }], tools: [{ type: "function" }] },
  { model: "chat-model", messages: [], stream: true },
  { model: "embedding-model", input: "hi" },
  { model: "embedding-model", input: ["hi", "ho"], encoding_format: "base64", dimensions: 2 },
  { prompt: "a", n: 2, size: "1024x1024" },
  { burst_limit: 3, cooldown_seconds: 2 },
];

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...changed.map((value) => JSON.stringify(value))) },
  { weight: 2, arbitrary: body.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.string() },
);
const request = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...requests.map((value) => JSON.stringify(value))) },
  { weight: 1, arbitrary: text },
);
const headers = fc.array(
  fc.tuple(
    fc.constantFrom(
      "content-type",
      "retry-after",
      "date",
      "x-ratelimit-limit-requests",
      "x-ratelimit-remaining-requests",
      "x-ratelimit-reset-tokens",
    ),
    fc.constantFrom(
      "application/json",
      "text/html",
      "text/event-stream",
      "60",
      "-1",
      "1.5",
      "soon",
      "",
      "Sat, 21 Nov 2026 09:00:00 GMT",
      "1800000000",
    ),
  ),
  { maxLength: 6 },
);
const intent: fc.Arbitrary<Intent> = fc.constantFrom<Intent>(
  { kind: "valid" },
  { kind: "violates", requirement: "EMB-004", condition: "missing-field", field: "input", twin: null },
  { kind: "violates", requirement: "KEY-017", condition: "foreign-id", twin: null },
  { kind: "probe-unspecified", requirement: "MOD-010", question: "anything" },
  { kind: "limit", policy: "requests", phase: "D" },
  { kind: "load", profile: "steady", phase: "measure" },
);
const label = fc.constantFrom(
  "list",
  "frame-1",
  "frame-2",
  "offset",
  "before",
  "after-1",
  "set-burst",
  "exceed-1-1",
  "format-wav",
  "foreign",
);
const caseId = fc.constantFrom(
  "usage/windows",
  "usage/reconciles",
  "settings/takes-effect",
  "settings/foreign-key",
  "images/number",
);

const exchange: fc.Arbitrary<Omit<Exchange, "seq">> = fc
  .record({
    endpoint: fc.constantFrom(...(Object.keys(endpoints) as EndpointId[])),
    status: fc.constantFrom(200, 204, 400, 401, 402, 403, 404, 422, 429, 500, 502, 503),
    text: fc.option(text, { nil: undefined }),
    events: fc.option(fc.array(text, { maxLength: 4 }), { nil: undefined }),
    request,
    query: fc.constantFrom(
      "",
      "?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z&granularity=day",
      "?from=x&to=&granularity=week",
    ),
    headers,
    intent,
    label,
    caseId,
    truncated: fc.boolean(),
  })
  .map((drawn) => ({
    stage: "conformance",
    caseId: drawn.caseId,
    label: drawn.label,
    intent: drawn.intent,
    endpoint: drawn.endpoint,
    keyName: "primary",
    attempt: 1,
    retryOf: null,
    request: {
      method: endpoints[drawn.endpoint].method,
      path: `${endpoints[drawn.endpoint].path}${drawn.query}`,
      headers: [],
      body: textBody(drawn.request),
    },
    response: {
      status: drawn.status,
      headers: drawn.headers,
      body:
        drawn.text === undefined ? null : { bytes: drawn.text.length, sha256: "", text: drawn.text, truncated: drawn.truncated },
      stream:
        drawn.events === undefined
          ? null
          : {
              events: drawn.events.map((data, read) => ({ atMs: read, earliestMs: read, read, event: "message", data })),
              comments: 0,
              pendingAtEnd: false,
              validUtf8: true,
              bytes: 1,
              sha256: "",
            },
    },
    failure: null,
    timing: { intendedMs: null, sentMs: 0, headersMs: 5, firstByteMs: 5, endMs: 6, wallMs: 1_795_000_000_000 },
    connection: null,
  }));

/** Requests that decide which schema an answer has to match. */
const requestsOf: Readonly<Partial<Record<EndpointId, readonly unknown[]>>> = {
  chat: requests.slice(0, 3),
  embeddings: requests.slice(3, 5),
  images: [requests[5]],
  transcriptions: [{}],
  models: [{}],
  usage: [{}],
};

const template = fc.sample(exchange, { numRuns: 1, seed: 1 })[0]!;

function answered(endpoint: EndpointId, status: number, sent: unknown, received: unknown): Exchange {
  const [asked, answer] = [JSON.stringify(sent), JSON.stringify(received) ?? "null"];
  return {
    ...template,
    seq: 1,
    endpoint,
    intent: { kind: "valid" },
    request: { method: "POST", path: endpoints[endpoint].path, headers: [], body: textBody(asked) },
    response: { status, headers: [], body: textBody(answer), stream: null },
  };
}

function faultsOf(exchanges: readonly Exchange[]): readonly unknown[] {
  return judgeExchanges(exchanges, allJudges, context).flatMap(({ message, fault }) => (fault === undefined ? [] : [message]));
}

describe("judges are total", () => {
  it("own every place of every schema: no change of any answer is a fault of ours", () => {
    let judged = 0;
    for (const [endpoint, sent] of Object.entries(requestsOf) as [EndpointId, readonly unknown[]][]) {
      for (const one of sent) {
        for (const status of [200, 422, 429, 503]) {
          // All of them as what they are; as other answers a sample.
          for (const received of status === 200 ? changed : sampleOf(changed, 6)) {
            expect(faultsOf([answered(endpoint, status, one, received)])).toEqual([]);
            judged += 1;
          }
        }
      }
    }
    expect(judged).toBeGreaterThan(isWhole ? 5000 : 2000);
  });

  it("never throw, whatever a target answers, and speak of requirements that exist", () => {
    fc.assert(
      fc.property(fc.array(exchange, { minLength: 1, maxLength: 6 }), (drawn) => {
        const record = drawn.map((one, index): Exchange => ({ ...one, seq: index + 1 }));
        const occurrences = judgeExchanges(record, allJudges, context);
        expect(occurrences.filter(({ fault }) => fault !== undefined)).toEqual([]);
        expect(occurrences.filter(({ requirement }) => !known.has(requirement))).toEqual([]);
        expect(occurrences.filter(({ outcome, message }) => outcome !== "pass" && outcome !== "observed" && !message)).toEqual(
          [],
        );
      }),
      { numRuns: isWhole ? 1000 : 100 },
    );
  });
});
