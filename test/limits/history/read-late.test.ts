import { describe, expect, it } from "vitest";
import { readOp } from "../../../src/limits/history/history.ts";
import { answeredFromMs, type LimitOp } from "../../../src/limits/history/op.ts";
import { widenOp } from "../../../src/limits/history/widen-op.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

function opWith(reset: string, lateMs: number): LimitOp {
  const headers = [
    ["x-ratelimit-limit-requests", "60"],
    ["x-ratelimit-remaining-requests", "59"],
    ["x-ratelimit-reset-requests", reset],
  ] as const;
  return readOp(makeExchange({ sentMs: 1000, endMs: 9000, lateMs, headers }))!;
}

describe("a request whose answer was read late", () => {
  it("names its reset by an instant of the service, and by no wait from the instant of reading", () => {
    expect(opWith("42", 0).requests.resetMs).not.toBeNull();
    expect(opWith("42", 7900).requests).toMatchObject({ remaining: 59, resetMs: null, resetFormat: "delta-seconds" });
    expect(opWith("1795253460", 7900).requests.resetMs).toBe(1_795_253_460_000);
  });

  it("may have been answered earlier by as much as sending and reading were late, never before it was sent", () => {
    expect(answeredFromMs(makeLimitOp(1, 1000, 9000, { lateMs: 1500 }))).toBe(6000);
    expect(answeredFromMs(makeLimitOp(1, 1000, 9000, { lateMs: 7900 }))).toBe(1000);
    expect(answeredFromMs(makeLimitOp(1, 1000, 9000, { lateMs: null }))).toBe(9000);
  });

  it("waited no longer by a clock that may be wrong", () => {
    const op = makeLimitOp(1, 1000, 9000, { lateMs: 1500 });
    const seen = widenOp(op, 250);
    expect(answeredFromMs(seen) - seen.sentMs).toBe(answeredFromMs(op) - op.sentMs);
  });
});
