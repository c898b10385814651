import { describe, expect, it } from "vitest";
import { quotaShape } from "../../../src/conformance/judges/spend/quota-shape.ts";
import { cappedPurpose } from "../../../src/conformance/judges/spend/exhausted-key.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { opsOf } from "../../../src/limits/history/op.ts";
import { checkQuotaWait } from "../../../src/limits/spend/quota-shape.ts";
import type { SpendView } from "../../../src/limits/history/spend-view.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { verdictsOn } from "../../suites/judge-with.ts";

const hourMs = 3_600_000;

/** A key at its cap is refused at this instant of the run and reported to wait so long. */
function refusal(seq: number, sentMs: number, waitMs: number): Exchange {
  return makeExchange({
    seq,
    sentMs,
    stage: "limits",
    endpoint: "images",
    status: 429,
    intent: { kind: "limit", policy: "spend", phase: "capped" },
    received: { error: "quota_exceeded", retry_after_ms: Math.round(waitMs), cap_type: "monthly_spend" },
  });
}

/** Refusals at these instants, each reported the wait that `waitAt` makes of it. */
function judge(instantsMs: readonly number[], waitAt: (sentMs: number) => number): readonly [verdict: string, summary: string] {
  const exchanges = instantsMs.map((sentMs, index) => refusal(index + 1, sentMs, waitAt(sentMs)));
  const view: SpendView = {
    key: "spendA",
    twin: null,
    priceCents: 4,
    ops: opsOf(
      exchanges.map((exchange) => readOp(exchange)!),
      "spend",
    ),
    purchases: [],
    bySeq: new Map(exchanges.map((exchange) => [exchange.seq, exchange])),
    usage: [],
    cheap: [],
    cheapUsage: [],
    changes: [],
    isExam: true,
    settleMs: 0,
  };
  const { verdict, message: summary } = checkQuotaWait(view);
  return [verdict, summary];
}

describe("waits of quota refusals", () => {
  const instants = [0, 5000, 12_000, 19_000, 60_000];

  it("lead to one instant", () => {
    expect(judge(instants, (sentMs) => 12 * 24 * hourMs - sentMs)).toEqual(["pass", "5 waits lead to one instant"]);
  });

  it("lead to two where a billing month ends meanwhile", () => {
    const month = (endMs: number) => (sentMs: number) => (sentMs < endMs ? endMs : endMs + 31 * 24 * hourMs) - sentMs;
    expect(judge(instants, month(9000))[0]).toBe("pass");
    // Refused within the last moment of the month, in either order of the two clocks.
    expect(judge([0, 8700, 8990, 9010, 19_000], month(9000))[0]).toBe("pass");
  });

  it("are found out when they do not count down, and when they are in seconds", () => {
    expect(judge(instants, () => 60_000)[0]).toBe("fail");
    expect(judge(instants, (sentMs) => (12 * 24 * hourMs - sentMs) / 1000)[0]).toBe("fail");
    expect(judge(instants, (sentMs) => (0.2 * hourMs - sentMs) / 1000)[0]).toBe("fail");
    expect(judge(instants, (sentMs) => 31.5 * 24 * hourMs - sentMs)[0]).toBe("fail");
  });
});

describe("SPEND-005 on a single refusal", () => {
  // The record's clock shows 09:30 UTC: midnight is 14.5 hours away.
  const toMidnightMs = 14.5 * hourMs;
  const judgeOne = (sentMs: number, value: number, headers: readonly (readonly [string, string])[] = []): readonly string[] =>
    verdictsOn("SPEND-005", quotaShape, [
      makeExchange({
        endpoint: "images",
        status: 429,
        sentMs,
        headers,
        intent: { kind: "housekeeping", purpose: cappedPurpose },
        received: { error: "quota_exceeded", retry_after_ms: value, cap_type: "monthly_spend" },
      }),
    ]);

  it("lets a cycle end within its last hour, with and without Retry-After", () => {
    for (const leftMs of [100, 1000, 59_000, 600_000, hourMs - 1]) {
      const sentMs = toMidnightMs - leftMs;
      expect([leftMs, judgeOne(sentMs, leftMs)]).toEqual([leftMs, ["pass"]]);
      expect([leftMs, judgeOne(sentMs, leftMs, [["retry-after", String(Math.ceil(leftMs / 1000))]])]).toEqual([leftMs, ["pass"]]);
    }
    // A cycle that ends at another hour than midnight is lawful: nothing proves that these are seconds.
    expect(judgeOne(0, 1_200_000)).toEqual(["pass"]);
  });

  it("names seconds that lead to a midnight, or that Retry-After repeats", () => {
    expect(judgeOne(0, toMidnightMs / 1000)).toEqual(["fail"]);
    expect(judgeOne(0, toMidnightMs / 1000 + 9 * 86_400)).toEqual(["fail"]);
    expect(judgeOne(0, 123_456, [["retry-after", "123456"]])).toEqual(["fail"]);
    expect(judgeOne(0, 33 * 24 * hourMs)).toEqual(["fail"]);
  });
});
