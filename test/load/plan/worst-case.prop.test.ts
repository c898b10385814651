import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jumpingClock } from "../../make/jumping-clock.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { describeWorstCase } from "../../../src/load/plan/describe-worst-case.ts";
import type { LoadProfile } from "../../../src/load/profile/load-profile.ts";
import { planLoad } from "../../../src/load/plan/plan-load.ts";
import type { TraceEntry } from "../../../src/load/arrivals/traces/trace-entry.ts";
import { runLoadProfile } from "../../../src/load/run-load-profile.ts";
import { answeredAt, answered } from "../../make/load/exchange-fixture.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { shortProfile } from "../../make/load/run-against.ts";
import { runsOf } from "../../make/runner/sample.ts";

const rate = fc.integer({ min: 1, max: 8 });
const gaps = fc.constantFrom("even", "poisson");
const arrivals = fc.oneof(
  fc.record({ kind: fc.constantFrom("constant", "poisson"), ratePerSecond: rate }),
  fc.record({ kind: fc.constant("gamma"), ratePerSecond: rate, shape: fc.constantFrom(0.05, 0.5, 2) }),
  fc.record({ kind: fc.constant("ramp"), fromPerSecond: fc.constant(0), toPerSecond: rate, gaps }),
  fc.record({
    kind: fc.constant("steps"),
    steps: fc.array(fc.record({ ratePerSecond: rate, seconds: fc.constantFrom(0.5, 1) }), { minLength: 1, maxLength: 3 }),
    gaps,
  }),
  fc.record({
    kind: fc.constant("spike"),
    basePerSecond: rate,
    peakPerSecond: rate,
    atSeconds: fc.constant(0.5),
    forSeconds: fc.constant(0.5),
    gaps,
  }),
  fc.record({
    kind: fc.constant("bursts"),
    bursts: fc
      .array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 })
      .map((sizes) => sizes.map((size, index) => ({ at: 0.4 * index, size }))),
  }),
  fc.record({
    kind: fc.constant("sweep"),
    ratesPerSecond: fc.constantFrom([1, 4], [2, 5, 9]),
    secondsPerRate: fc.constant(1),
    gaps,
  }),
  fc.record({
    kind: fc.constant("bisect"),
    lowPerSecond: fc.constant(1),
    highPerSecond: fc.integer({ min: 2, max: 12 }),
    secondsPerProbe: fc.constant(1),
    maxProbes: fc.integer({ min: 2, max: 5 }),
    gaps,
  }),
  fc.constant({ kind: "trace", file: "t.jsonl", format: "jsonl" }),
  fc.record({
    kind: fc.constant("sessions"),
    ratePerSecond: rate,
    turns: fc.constantFrom(1, 4, { kind: "normal", mean: 3, standardDeviation: 2, min: 1, max: 6 }),
    thinkSeconds: fc.constant(0.01),
  }),
);

const length = fc.oneof(
  fc.integer({ min: 0, max: 40 }),
  fc.constant({ kind: "lognormal", median: 20, sigma: 1.5, min: 2, max: 90 }),
  fc.constant({ kind: "normal", mean: 9, standardDeviation: 9, min: 0, max: 30.6 }),
  fc.constant({ kind: "empirical", values: [3, 50, 8], weights: [5, 1, 2] }),
);
const texts = fc.option(fc.array(fc.string({ unit: "grapheme", minLength: 1, maxLength: 60 }), { minLength: 1, maxLength: 3 }));
const chat = fc.record({
  endpoint: fc.constant("chat"),
  stream: fc.boolean(),
  promptTokens: length,
  outputTokens: length,
  sharedPrefixTokens: fc.constantFrom(0, 0, 25),
  tools: fc.boolean(),
  prompts: texts,
  uniqueBeginnings: fc.boolean(),
});
const other = fc.oneof(
  fc.record({ endpoint: fc.constant("embeddings"), inputTokens: length, batch: fc.constantFrom(1, 5), prompts: texts }),
  fc.record({ endpoint: fc.constant("images"), n: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ endpoint: fc.constant("transcriptions"), audioSeconds: fc.constantFrom(0, 0.2, 3) }),
  fc.constant({ endpoint: "models" }),
);
const cases = fc.record({
  arrivals,
  chats: fc.array(chat, { minLength: 1, maxLength: 2 }),
  others: fc.array(other, { maxLength: 2 }),
  retries: fc.integer({ min: 0, max: 2 }),
  trace: fc.array(fc.record({ atMs: fc.nat(900), promptTokens: fc.option(fc.nat(800)), outputTokens: fc.option(fc.nat(900)) }), {
    minLength: 1,
    maxLength: 6,
  }),
  manner: fc.constantFrom("races and refusals", "talkative", "talkative", "late and refusing") as fc.Arbitrary<Manner>,
  seed: fc.nat(1000),
});

type Manner = "races and refusals" | "talkative" | "late and refusing";

/** Answers that make a generator send as much as it may: connections that break once, rejects, long texts full of quotes. */
function answerOf({ endpoint, attempt = 1 }: SendRequest, manner: Manner): Exchange {
  if (manner === "talkative" || endpoint === "usage") {
    const message = { role: "assistant", content: '"\n漢\u0001'.repeat(2000) };
    return answered(200, { choices: [{ index: 0, message }], aggregate: { total_tokens: 0 } });
  }
  if (manner === "races and refusals" && attempt === 1) {
    return { ...answered(200, {}), response: null, failure: { kind: "reused-connection-closed", message: "" } };
  }
  return answered(503, {}, { "retry-after": "0" });
}

describe("the worst case reported before the start", () => {
  it("is never exceeded by what a run sends, for every kind of arrivals and workload", async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ chats, others, retries, manner, seed, ...given }) => {
        const sessions = given.arrivals.kind === "sessions";
        const workload = [...chats, ...(sessions ? [] : others)];
        const profile = shortProfile({
          arrivals: given.arrivals,
          durationSeconds: 2,
          workload: workload.map((item, index) => ({ ...item, label: `item ${index}` })),
          retry: { max: retries, retryAfter: "ignore" },
          abort: { errorRate: 1, minimum: 100_000 },
          slo: { userLatencyMs: 1000 },
        });
        const trace: readonly TraceEntry[] = given.trace.toSorted((a, b) => a.atMs - b.atMs);
        const manifest = manifestFor("http://127.0.0.1:1");
        const clock = jumpingClock();
        const sum = { requests: 0, tokens: 0, costUsd: 0 };
        const sender = {
          send: (request: SendRequest): Promise<Exchange> => {
            sum.requests += 1;
            sum.tokens += request.reserve?.tokens ?? 0;
            sum.costUsd += request.reserve?.costUsd ?? 0;
            if (request.endpoint === "chat" && request.body?.kind === "raw") {
              const text = String(request.body.bytes);
              const body = JSON.parse(text) as { messages: { content: string }[]; max_tokens: number };
              const bytes = body.messages.reduce((total, { content }) => total + 8 + Buffer.byteLength(content), 0);
              expect(request.reserve?.tokens).toBeGreaterThanOrEqual(bytes + body.max_tokens);
            }
            return Promise.resolve(answeredAt(answerOf(request, manner), request, clock.nowMs()));
          },
          burst: () => Promise.resolve([]),
        };
        const plan = planLoad({ profile, manifest, seed, trace });
        await runLoadProfile({ profile, manifest, sender, clock, seed, trace, virtualTime: true });
        const { requests, tokens, costUsd } = plan.worstCase;
        expect(sum.requests).toBeLessThanOrEqual(requests ?? -1);
        expect(sum.tokens).toBeLessThanOrEqual(tokens ?? -1);
        expect(sum.costUsd).toBeLessThanOrEqual((costUsd ?? -1) + 1e-9);
      }),
      { numRuns: runsOf(60) },
    );
  });

  it("says of a closed loop what bounds it, or that nothing but its time does", () => {
    const closed = (engine: string, endpoint: string): LoadProfile =>
      shortProfile({ engine, arrivals: { kind: "closed", concurrency: 2 }, workload: [{ endpoint }] });
    const words = (profile: LoadProfile, maxRequests: number | null): string => {
      const manifest = manifestFor("http://127.0.0.1:1", { budget: { maxRequests, maxTokens: 1000, maxCostUsd: null } });
      const budget = maxRequests === null ? { ...manifest.budget, maxTokens: null } : manifest.budget;
      return describeWorstCase(planLoad({ profile, manifest, seed: 1 }), budget, profile);
    };
    expect(words(closed("assay", "chat"), 300)).toContain("the budget of the run ends it: at most 300 requests, 1000 tokens");
    expect(words(closed("assay", "models"), null)).toBe(
      "only its duration bounds it: the manifest sets no budget, it costs no tokens",
    );
    expect(words(closed("autocannon", "models"), 300)).toContain("autocannon then sends out of the same budget");
  });

  it("counts the lengths of a trace, and never rounds money down", () => {
    const profile = shortProfile({
      arrivals: { kind: "trace", file: "t.jsonl", format: "jsonl" },
      workload: [{ endpoint: "chat", promptTokens: 5, outputTokens: 1 }],
    });
    const manifest = manifestFor("http://127.0.0.1:1");
    const trace = [{ atMs: 0, promptTokens: 800, outputTokens: 900 }];
    const plan = planLoad({ profile, manifest, seed: 1, trace });
    expect(plan.worstCase.tokens).toBeGreaterThan(1700);
    expect(describeWorstCase(plan, manifest.budget, profile)).toContain("0.03 USD");
    const budget = { maxRequests: 1, maxTokens: 500, maxCostUsd: null };
    expect(describeWorstCase(plan, budget, profile)).toContain("the budget of the run ends it before: at most 1 requests, 500");
  });
});
