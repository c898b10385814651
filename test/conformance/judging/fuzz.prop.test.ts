import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allJudges } from "../../../src/conformance/judges/all-judges.ts";
import { judgeConformance } from "../../../src/conformance/verdict/judge-conformance.ts";
import { createPassiveValidator } from "../../../src/conformance/verdict/passive-validator.ts";
import { endpoints, type EndpointId } from "../../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { readCatalogue } from "../../../src/schemas/read-catalogue.ts";
import { BodyCapture } from "../../../src/wire/capture/body-capture.ts";
import { EventStream } from "../../../src/wire/capture/event-stream.ts";
import { createRedactor } from "../../../src/wire/redaction/redaction.ts";
import { makeExchange } from "../../make/make-exchange.ts";
import { testManifest } from "../../make/test-manifest.ts";
import { contextWith } from "../../suites/judge-with.ts";

/** By night: ASSAY_FUZZ_RUNS=1000000. */
const inputs = Number(process.env["ASSAY_FUZZ_RUNS"] ?? 10_000);
const manifest = testManifest("http://127.0.0.1:1");
const context = contextWith(manifest);
const catalogue = readCatalogue();
const redactor = createRedactor(manifest);
const policy = { textBytes: 4096, binaryBytes: 256, digests: true };

/** Pieces of answers, good and bad, that chance puts together. */
const piece = fc.oneof(
  fc.constantFrom(
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
    ":",
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
    '"usage":{"total_tokens":-1}',
    '"error":"quota_exceeded"',
    '"retry_after_ms":1e308',
    '"data":[{"embedding":"AAAA"}]',
    "sk_test_Primary0123456789",
    "%73%6b",
    "&#115;",
    "\ud800",
    "é",
  ),
  fc.string({ maxLength: 12 }),
);
const text = fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join(""));
const bytes = fc.oneof(
  text.map((one) => Buffer.from(one)),
  fc.uint8Array({ maxLength: 200 }).map((one) => Buffer.from(one)),
);
const value = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom("0", "-1", "1e9", "9".repeat(400), "NaN", "2147483647", "Fri, 31 Dec 9999 23:59:59 GMT", "gzip, gzip, br"),
);
const name = fc.constantFrom(
  "retry-after",
  "x-ratelimit-limit-requests",
  "x-ratelimit-remaining-requests",
  "x-ratelimit-reset-requests",
  "x-ratelimit-limit-tokens",
  "x-ratelimit-remaining-tokens",
  "x-ratelimit-reset-tokens",
  "date",
  "content-type",
  "content-encoding",
  "server-timing",
  "__proto__",
);
const answer = fc.record({
  endpoint: fc.constantFrom(...(Object.keys(endpoints) as EndpointId[])),
  status: fc.constantFrom(200, 201, 204, 400, 401, 404, 422, 429, 500, 503, 599),
  headers: fc.array(fc.tuple(name, value), { maxLength: 6 }),
  cuts: fc.array(fc.nat(250), { maxLength: 4 }),
  codings: fc.constantFrom([], [], ["gzip"], ["br", "deflate"]),
  streamed: fc.boolean(),
  bytes,
  stage: fc.constantFrom("conformance" as const, "limits" as const, "load" as const),
  kind: fc.constantFrom({ kind: "valid" } as const, { kind: "limit" } as const, { kind: "load" } as const),
});

type Answer = typeof answer extends fc.Arbitrary<infer One> ? One : never;

/** As capture records these bytes, cut into reads wherever. */
function record(one: Answer, seq: number): Exchange {
  const places = [0, ...one.cuts.map((cut) => cut % (one.bytes.length + 1)).toSorted((a, b) => a - b), one.bytes.length];
  const reads = places.slice(1).map((to, index) => one.bytes.subarray(places[index], to));
  const base = makeExchange({
    seq,
    endpoint: one.endpoint,
    status: one.status,
    headers: one.headers,
    stage: one.stage,
    sent: { model: "m", stream: one.streamed },
  });
  const bounds = { events: 20, eventLength: 2000, take: () => true };
  if (one.streamed) {
    const stream = new EventStream(redactor.maskDeep, bounds);
    for (const [read, chunk] of reads.entries()) stream.write(chunk, { read, atMs: read, earliestMs: read, latestMs: read });
    const pendingAtEnd = stream.end();
    const { events, comments, validUtf8 } = stream;
    const recorded = { events, comments, pendingAtEnd, validUtf8, bytes: one.bytes.length, sha256: "x" };
    return { ...base, response: { ...base.response!, body: null, stream: recorded } };
  }
  const body = new BodyCapture(policy, { ...redactor, mask: redactor.maskDeep }, one.codings, () => true);
  for (const chunk of reads) body.write(chunk);
  return { ...base, response: { ...base.response!, body: body.end() } };
}

describe("bytes of a target", () => {
  it(
    "never make capture, judges, limits or verdicts fail",
    () => {
      const perRun = 10;
      fc.assert(
        fc.property(fc.array(answer, { minLength: perRun, maxLength: perRun }), (answers) => {
          const exchanges = answers.map((one, index) => record(one, index + 1));
          const passive = createPassiveValidator({ judges: allJudges, context });
          for (const exchange of exchanges) passive.observe(exchange);
          expect(passive.unjudged()).toEqual([]);
          const kept = exchanges.filter(({ stage }) => stage !== "load");
          const limits = judgeLimits({ exchanges: kept, manifest, strict: false, notJudged: [] });
          const { findings, result } = judgeConformance({
            exchanges: kept,
            catalogue,
            judges: allJudges,
            context,
            suites: ["core", "chat", "stream"],
            untested: new Map(),
            strict: false,
            baseline: [],
            today: "2026-11-21",
          });
          expect(findings.filter(({ stage }) => stage === "harness")).toEqual([]);
          const written = JSON.stringify({ exchanges, findings, result, limits: limits.result });
          expect(written).not.toContain("Primary0123456789");
          expect(written.length).toBeLessThan(5e6);
        }),
        { numRuns: Math.ceil(inputs / perRun), endOnFailure: true },
      );
    },
    Math.max(120_000, inputs * 20),
  );
});
