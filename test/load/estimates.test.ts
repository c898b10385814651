import { describe, expect, it } from "vitest";
import type { LoadProfileResult } from "../../src/core/result/load-result.ts";
import { packRecords } from "../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../src/load/ledger/unpack-records.ts";
import type { LoadRecord } from "../../src/load/samples/load-record.ts";
import { measureExchange } from "../../src/load/samples/measure-exchange.ts";
import { summarizeStep } from "../../src/load/judge/summarize-step.ts";
import { context, delta, event, streamed } from "../make/load/exchange-fixture.ts";
import { distributionOf } from "../make/load/run-against.ts";
import { makeLoadResult, makeProfile } from "../make/results/make-load-result.ts";

const slo = { ttftMs: 1000, tpotMs: 30, userLatencyMs: 5000 };

interface Told {
  readonly chunks: number;
  readonly gapMs: number;
  readonly text: string;
  readonly usage?: object;
  readonly reasoning?: boolean;
}

/** A stream sent at 100 ms: chunks of one text, so far apart, and usage at its end. */
function record({ chunks, gapMs, text, usage, reasoning = false }: Told): LoadRecord {
  const events = Array.from({ length: chunks }, (_, index) =>
    delta(200 + gapMs * index, reasoning && index < 5 ? { reasoning_content: text } : { content: text }),
  );
  const last = 200 + gapMs * (chunks - 1);
  return measureExchange(streamed(usage === undefined ? events : [...events, event(last + 1, { choices: [], usage })]), {
    ...context,
    slo,
  }).record;
}

function judge(told: Told, gates: readonly string[]): LoadProfileResult {
  const one = record(told);
  // A little of its own in each, as real latencies have.
  const records = Array.from({ length: 120 }, (_, index) => ({ ...one, intendedMs: 10 + index, issuedMs: 10 + index }));
  return makeLoadResult({ ...makeProfile(40, 3, gates), slo }, records);
}

/** Five words a chunk, 50 ms apart, no usage: the truth is 10 ms a token, chunks show 50. */
const multiToken: Told = { chunks: 10, gapMs: 50, text: "one two three four five " };
/** 200 tokens are thought and never sent, then twenty come, 20 ms apart. */
const hidden: Told = {
  chunks: 20,
  gapMs: 20,
  text: "w0 ",
  usage: { prompt_tokens: 10, completion_tokens: 220, completion_tokens_details: { reasoning_tokens: 200 } },
};

describe("figures per token", () => {
  it("decide nothing where chunks stand for tokens: no gate, no goodput, no rate of a search", () => {
    const gates = [
      "tpot.p50 < 15ms",
      "goodput > 0.9",
      "tokens_per_second.p50 > 1",
      "output_tokens_rate > 1",
      "inter_token.p50 < 15ms",
    ];
    const result = judge(multiToken, [...gates, "ttft.p50 < 1s"]);
    expect(result.gates.map(({ verdict, doubt }) => [verdict, doubt])).toEqual([
      ...gates.map(() => ["inconclusive", "estimate"]),
      ["pass", undefined],
    ]);
    for (const { reason } of result.gates.slice(0, gates.length)) expect(reason).toContain("features.streamUsage");
    expect(result.gates[0]).toMatchObject({ observed: 50, estimated: true });
    expect([result.goodFraction, result.goodFractionMost]).toEqual([0, 1]);
    const records = Array.from({ length: 120 }, () => record(multiToken));
    expect(summarizeStep({ records, ratePerSecond: 40, lengthMs: 3000 })).toMatchObject({
      verdict: "inconclusive",
      reason: expect.stringContaining("an estimate of their tokens"),
    });
  });

  it("are of the tokens that arrived", () => {
    expect(record(hidden)).toMatchObject({ tpotMs: 20, tpotEstimated: false, hiddenTokens: 200, good: true, maybeGood: false });
    const result = judge(hidden, ["tpot.p50 < 15ms", "tpot.p50 < 25ms", "goodput > 0.9"]);
    expect(result.gates.map(({ verdict }) => verdict)).toEqual(["fail", "pass", "pass"]);
    expect(result.rates.outputTokens).toBe(20 * 40);
    expect(distributionOf(result, "tpot").estimated).toBe(false);
    // Thoughts that are sent are tokens that arrived.
    const usage = { completion_tokens: 20, completion_tokens_details: { reasoning_tokens: 5 } };
    expect(record({ ...hidden, usage, reasoning: true })).toMatchObject({ tpotMs: 20, hiddenTokens: 0, tpotEstimated: false });
  });

  it("are an estimate where usage counts more than what arrived can hold, and does not say what", () => {
    const claimed = { ...hidden, usage: { prompt_tokens: 10, completion_tokens: 2200 } };
    expect(record(claimed)).toMatchObject({ hiddenTokens: null, tpotEstimated: true, good: false, maybeGood: true });
    expect(judge(claimed, ["tpot.p50 < 15ms"]).gates[0]).toMatchObject({ verdict: "inconclusive", doubt: "estimate" });
  });

  it("stay exact where a token more than the chunks was counted", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 21 };
    expect(record({ ...hidden, usage })).toMatchObject({ hiddenTokens: 0, tpotEstimated: false });
  });

  it("are read back from the ledger as they were", () => {
    const records = [record(hidden), record(multiToken), record({ ...hidden, usage: { completion_tokens: 20 } })];
    expect(unpackRecords(packRecords(records), 3, slo).map(({ hiddenTokens, tpotMs }) => [hiddenTokens, tpotMs])).toEqual(
      records.map(({ hiddenTokens, tpotMs }) => [hiddenTokens, tpotMs]),
    );
  });
});
