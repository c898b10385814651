import { describe, expect, it } from "vitest";
import type { Exchange, RecordedEvent } from "../../../src/core/exchange/exchange.ts";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { promisedWaitMs } from "../../../src/load/samples/classify-outcome.ts";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { plainRecord } from "../../make/exchanges/plain-record.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import { tabulate } from "../../../src/load/samples/record-store.ts";
import { visitFigures } from "../../../src/load/samples/visit-figures.ts";
import { reconcileServerTimings } from "../../../src/load/samples/server-truth.ts";
import { answered, context, cutShort, delta, event, exchangeOf, streamed } from "../../make/load/exchange-fixture.ts";

function recordOf(exchange: Exchange, change: Partial<typeof context> = {}): LoadRecord {
  return measureExchange(exchange, { ...context, ...change }).record;
}

const choiceEnd = (atMs: number, reason: string): RecordedEvent =>
  event(atMs, { choices: [{ index: 0, delta: {}, finish_reason: reason }] });

function figures(record: LoadRecord): Readonly<Record<string, readonly number[]>> {
  const result: Record<string, number[]> = {};
  visitFigures(record, (metric, value) => (result[metric] ??= []).push(Math.round(1000 * value) / 1000));
  return result;
}

const usage = (completion: number): object => ({
  usage: { prompt_tokens: 3, completion_tokens: completion, total_tokens: completion + 3 },
});

describe("time to first token", () => {
  it("is that of the first content, not of the head, the role or an empty delta", () => {
    const record = recordOf(
      streamed([
        delta(120, { role: "assistant" }),
        delta(130, { content: "" }),
        delta(200, { content: "a" }),
        delta(230, { content: "b" }),
      ]),
    );
    expect(figures(record)).toMatchObject({
      ttfe: [20],
      ttft: [100],
      ttfo: [100],
      "service-latency": [130],
      "user-latency": [140],
    });
  });

  it.each([["reasoning"], ["reasoning_content"]])("counts %s as a token but not as output", (member) => {
    const record = recordOf(streamed([delta(150, { [member]: "hm" }), delta(210, { content: "a" })]));
    expect(figures(record)).toMatchObject({ ttft: [50], ttfo: [110] });
  });

  it.each([
    ["parts of the content", { content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }],
    ["parts beside it", { reasoning_details: [{ type: "reasoning.text", text: "hm" }] }],
    ["blocks", { thinking_blocks: [{ type: "thinking", thinking: "hm", signature: "" }] }],
    ["a member of another name", { thoughts: "hm" }],
  ])("counts thoughts in %s as a token but not as output", (_shape, thoughts) => {
    const parts = delta(210, { content: [{ type: "text", text: "a" }] });
    expect(figures(recordOf(streamed([delta(150, thoughts), parts])))).toMatchObject({ ttft: [50], ttfo: [110] });
    expect(figures(recordOf(streamed([delta(150, thoughts), delta(210, { content: "a" })])))).toMatchObject({
      ttft: [50],
      ttfo: [110],
    });
  });

  it.each([
    [{ reasoning: null, reasoning_details: [] }],
    [{ content: [{ type: "thinking", thinking: [] }] }],
    [{ thinking_blocks: [{ type: "thinking", thinking: "", signature: "c2lnbmVk" }] }],
  ])("takes no thought from %j, which holds none", (held) => {
    expect(figures(recordOf(streamed([delta(150, held), delta(210, { content: "a" })])))).toMatchObject({ ttft: [110] });
  });

  it("counts a tool call as output", () => {
    const record = recordOf(streamed([delta(160, { tool_calls: [{ index: 0, function: { name: "f" } }] })]));
    expect(figures(record)).toMatchObject({ ttft: [60], ttfo: [60] });
  });

  it("is absent, not zero, where there is no token or no stream", () => {
    expect(figures(recordOf(streamed([delta(120, { role: "assistant" })])))).not.toHaveProperty("ttft");
    expect(figures(recordOf(answered(200, { choices: [{ message: { content: "x" } }], ...usage(1) })))).not.toHaveProperty(
      "ttft",
    );
  });
});

describe("end to end and tokens", () => {
  it("ends with the last content; a late usage chunk and [DONE] do not count", () => {
    const record = recordOf(
      streamed([
        delta(150, { content: "a" }),
        delta(170, { content: "b" }),
        event(900, { choices: [], ...usage(2) }),
        event(950, "[DONE]"),
      ]),
    );
    expect(record.answeredMs).toBe(170);
    expect(record.endMs).toBe(955);
    expect(record.outputTokens).toBe(2);
  });

  it("divides by the tokens that came after the first arrival", () => {
    const words = Array.from({ length: 5 }, (_, index) => delta(200 + 10 * index, { content: "w" }));
    const exact = recordOf(streamed([...words, event(250, { choices: [], ...usage(5) })]));
    expect([exact.tpotMs, exact.tpotEstimated]).toEqual([10, false]);
    // Ten tokens in five chunks: two each is an estimate and is called one.
    const estimated = recordOf(streamed([...words, event(250, { choices: [], ...usage(10) })]));
    expect([estimated.tpotMs, estimated.tpotEstimated]).toEqual([5, true]);
    const unreported = recordOf(streamed(words));
    expect([unreported.outputTokens, unreported.tokensEstimated, unreported.tpotEstimated]).toEqual([5, true, true]);
    expect(recordOf(streamed([delta(200, { content: "w" })])).tpotMs).toBeNull();
  });

  it("takes token boundaries from usage that counts up in the chunks", () => {
    const record = recordOf(
      streamed([
        delta(200, { content: "a" }, usage(3)),
        delta(230, { content: "b" }, usage(6)),
        delta(250, { content: "c" }, usage(7)),
      ]),
    );
    expect(figures(record)["inter-token"]).toEqual([10, 10, 10, 20]);
    const certainties = new Set<string>();
    visitFigures(record, (metric, _, certainty) => void (metric === "inter-token" && certainties.add(certainty)));
    expect([...certainties]).toEqual(["exact"]);
    expect(record.tpotMs).toBe(50 / 4);
  });

  it("keeps chunks of one read together instead of making gaps of zero", () => {
    const record = recordOf(
      streamed([
        delta(200, { content: "a" }),
        delta(240, { content: "b" }, {}, 1),
        delta(240, { content: "c" }, {}, 1),
        delta(250, { content: "d" }),
      ]),
    );
    expect(figures(record)).toMatchObject({ "inter-chunk": [40, 10], "longest-stall": [40] });
    expect(figures(record)["inter-token"]).toEqual([20, 20, 10]);
  });

  it("adds gaps up to the span of the content", () => {
    const instants = [200, 203, 260, 261, 300];
    const gaps = figures(recordOf(streamed(instants.map((at) => delta(at, { content: "x" })))))["inter-chunk"] ?? [];
    expect(gaps.reduce((sum, gap) => sum + gap, 0)).toBe(100);
  });
});

describe("hostile answers", () => {
  it("do not drown the sums with absurd token counts", () => {
    const claims = recordOf(
      streamed([delta(200, { content: "a" }), delta(210, { content: "b" }), event(220, { choices: [], ...usage(1e300) })]),
    );
    expect([claims.outputTokens, claims.tokensEstimated]).toEqual([2, true]);
    expect(recordOf(answered(200, { usage: { prompt_tokens: 1e300, completion_tokens: 1e300 } })).promptTokens).toBeNull();
  });

  it("survive chunks of any shape", () => {
    const odd = [
      "null",
      "[]",
      "5",
      '"x"',
      "{}",
      '{"choices":5}',
      '{"choices":[null]}',
      '{"choices":[{"delta":[]}]}',
      '{"choices":[{"delta":{"content":5,"tool_calls":{}}}]}',
      '{"usage":[],"timings":3}',
    ];
    const record = recordOf(streamed([...odd.map((data, index) => event(120 + index, data)), delta(200, { content: "a" })]));
    expect([record.outcome, record.firstTokenMs, record.stream?.broken]).toEqual(["ok", 200, true]);
  });
});

describe("outcome", () => {
  it.each([
    ["ok", answered(200, {})],
    [
      "rate-limited",
      answered(
        429,
        { error: { code: "rate_limit_exceeded" } },
        { "x-ratelimit-remaining-requests": "0", "x-ratelimit-remaining-tokens": "10" },
      ),
    ],
    ["spend-capped", answered(429, { error: "quota_exceeded", retry_after_ms: 1, cap_type: "monthly_spend" })],
    [
      "burst-limited",
      answered(
        429,
        { error: { code: "burst_limit_exceeded" } },
        { "x-ratelimit-remaining-requests": "5", "x-ratelimit-remaining-tokens": "10" },
      ),
    ],
    ["client-error", answered(422, {})],
    ["server-error", answered(503, {})],
    ["server-error", streamed([event(120, { error: { message: "boom" } })])],
    ["server-error", streamed([])],
    ["server-error", cutShort([delta(150, { content: "a" }), delta(160, { content: "b" })])],
    ["server-error", cutShort([delta(150, { content: "a" }), choiceEnd(160, "")])],
    ["server-error", streamed([delta(150, { content: "a" }), event(160, '{"choices":[{"delta":{"content":"x')])],
    ["ok", streamed([event(120, "hello"), event(130, "world")])],
    ["ok", cutShort([delta(150, { content: "a" }), choiceEnd(160, "stop")])],
    ["ok", streamed([delta(150, { content: "a" })])],
    [
      "ok",
      streamed([{ ...event(120, "5"), event: "ping" }, { ...event(130, "alive"), event: "ping" }, delta(150, { content: "a" })]),
    ],
    ["ok", cutShort([delta(150, { content: "a" }), event(160, "[DONE]"), event(170, "bye")])],
    ["transport-error", exchangeOf({ failure: { kind: "connection-closed", message: "gone" } })],
    ["not-sent", exchangeOf({ failure: { kind: "budget", message: "used up" } })],
  ] as const)("is %s", (outcome, exchange) => {
    expect(recordOf(exchange).outcome).toBe(outcome);
  });

  it("is server-error for a stream in a form of its own where others have the form of the convention", () => {
    const exchange = streamed([event(120, "hello"), event(130, "world")]);
    expect(recordOf(exchange, { isFormKnown: true }).outcome).toBe("server-error");
  });

  it("keeps what broke out of the figures of answers and is never good", () => {
    const cut = recordOf(cutShort([delta(150, { content: "a" }), delta(160, { content: "b" })]));
    const table = tabulate([cut, recordOf(streamed([delta(150, { content: "a" })]))]);
    expect([
      cut.good,
      table.get("ttft", "chat", "ok")?.samples.count,
      table.get("ttft", "chat", "server-error")?.samples.count,
    ]).toEqual([false, 1, 1]);
  });

  it("reads the longest wait that is asked for", () => {
    const body = { "retry-after": 2, retry_after_ms: 500 };
    expect(promisedWaitMs(factsOf(answered(429, body, { "retry-after": "1" })))).toBe(2000);
    expect(promisedWaitMs(factsOf(answered(200, body, { "retry-after": "1" })))).toBeNull();
  });

  it("is good only when whole and within the service level, user latency counted from the intent", () => {
    const exchange = streamed([delta(150, { content: "a" }), delta(190, { content: "b" })]);
    const good = (slo: Partial<typeof context.slo>): boolean => recordOf(exchange, { slo: { ...context.slo, ...slo } }).good;
    expect(good({ ttftMs: 50, userLatencyMs: 100 })).toBe(true);
    expect(good({ ttftMs: 49 })).toBe(false);
    expect(good({ userLatencyMs: 99 })).toBe(false);
    expect(good({ tpotMs: 39 })).toBe(false);
    expect(recordOf(streamed([delta(120, { role: "assistant" })]), { slo: { ...context.slo, ttftMs: 1000 } }).good).toBe(false);
  });
});

describe("the server's own account", () => {
  it("is read from llama.cpp timings and from Server-Timing, and set beside ours", () => {
    const llama = recordOf(
      streamed([
        delta(150, { content: "a" }),
        delta(190, { content: "b" }, { timings: { prompt_ms: 45, predicted_ms: 38, predicted_n: 2 } }),
      ]),
    );
    const truth = reconcileServerTimings([llama]);
    expect(truth).toMatchObject({
      source: "llama.cpp",
      firstTokenDifferenceMs: { p50: null, max: 5, samples: 1 },
      decodeDifferenceMs: { p50: null, max: 2 },
      impossible: 0,
    });
    const header = recordOf(
      streamed([delta(150, { content: "a" })], {}, { "server-timing": 'queue;dur=10, prefill;desc="x";dur=45.5' }),
    );
    expect(reconcileServerTimings([header])).toMatchObject({
      source: "server-timing",
      firstTokenDifferenceMs: { max: -5.5 },
      impossible: 1,
    });
    expect(reconcileServerTimings([recordOf(answered(200, {}))])).toBeNull();
  });

  it("does not take time in a queue for time of the model", () => {
    const queued = recordOf(streamed([delta(600, { content: "a" })], {}, { "server-timing": "queue;dur=450, prefill;dur=45" }));
    expect(reconcileServerTimings([queued])?.firstTokenDifferenceMs?.max).toBe(5);
  });
});

describe("counts of tokens that no answer has", () => {
  it("are left out, whole and in chunks, so that a ledger can hold the record", () => {
    const counted = (completion: number): RecordedEvent =>
      event(150, { choices: [{ index: 0, delta: { content: "x" } }], ...usage(completion) });
    for (const claim of [1e308, 2 ** 53, 10_000_001]) {
      const record = recordOf(streamed([counted(1), counted(claim), counted(0), counted(claim)]));
      expect(record.groups.map(({ tokens }) => tokens)).not.toContain(claim);
      expect(record.outputTokens).toBe(4);
      expect(record.tokensEstimated).toBe(true);
      expect(unpackRecords(packRecords([record]), 1, context.slo).map(plainRecord)).toEqual([record]);
    }
  });
});
