import { describe, expect, it } from "vitest";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { describeOvershoot } from "../../../src/core/result/describe-overshoot.ts";
import { joinOvershoots, measureOvershoot } from "../../../src/limits/tokens/measure-overshoot.ts";
import { measureLatencies } from "../../../src/limits/verdict/measure-latency.ts";
import { timelineOp } from "../../../src/limits/history/timeline.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

/** An answer in the window that ends at this instant. */
function answer(resetMs: number, [sentMs, endMs]: readonly [number, number], usedTokens: number | null): LimitOp {
  const tokens = { limit: 1000, remaining: 0, resetMs, resetFormat: "unix-seconds" as const };
  return makeLimitOp(1, sentMs, sentMs + 10, { endMs, usedTokens, tokens });
}

const words = (...ops: readonly LimitOp[]): string | null => {
  const found = measureOvershoot(ops);
  return found === null ? null : describeOvershoot(found);
};

describe("overshoot of a token limit", () => {
  it("is what the fullest window admitted, and at most what was in flight at once", () => {
    const other = Array.from({ length: 30 }, (_, index) => answer(120_000, [100 + 50 * index, 140 + 50 * index], 10));
    const full = [answer(60_000, [0, 50], 900), ...Array.from({ length: 20 }, () => answer(60_000, [60, 90], 67))];
    expect(words(...other, ...full)).toBe(
      "the fullest window admitted 2,240 tokens by 21 answers, 1,240 above its limit; charged as they end, requests can bring at most 1,340 tokens above 1,000, 20 in flight",
    );
  });

  it("is none where no window admitted more than its limit", () => {
    expect(words(answer(60_000, [0, 50], 400), answer(120_000, [60, 90], 700))).toBe(
      "no window admitted more than its limit: 700 of 1,000 tokens at most, by 1 answer; charged as they end, requests can bring at most 700 tokens above 1,000, 1 in flight",
    );
  });

  it("counts no request twice that ends as another begins", () => {
    expect(measureOvershoot([answer(1, [0, 50], 5), answer(1, [50, 90], 5)])?.inFlight).toBe(1);
  });

  it("names the answers that it cannot count", () => {
    const unread = [answer(60_000, [0, 50], null), answer(120_000, [0, 50], null)];
    expect(words(answer(60_000, [0, 50], 400), ...unread)).toMatch(/1 in flight; 2 more without usage are not counted$/);
  });

  it("is unknown where no answer shows its usage, or only a cache answered", () => {
    expect(words(answer(60_000, [0, 50], null))).toBeNull();
    expect(words({ ...answer(60_000, [0, 50], 5), cached: true })).toBeNull();
    expect(joinOvershoots(null, null)).toBeNull();
  });
});

it("latencies of answers and of refusals stand apart", () => {
  const ops = Array.from({ length: 200 }, (_, index) => makeLimitOp(index, 0, index + 1)).map((op) => timelineOp(op, null));
  const refused = timelineOp(makeLimitOp(1, 0, 3, { status: 429, outcome: "rejected" }), null);
  const unanswered = timelineOp(makeLimitOp(1, 0, Number.POSITIVE_INFINITY, { outcome: "maybe" }), null);
  expect(measureLatencies([...ops, refused, unanswered])).toEqual({
    served: { count: 200, p50Ms: 100, p99Ms: 198 },
    refused: { count: 1, p50Ms: 3, p99Ms: 3 },
  });
  expect(measureLatencies([refused]).served).toBeNull();
});
