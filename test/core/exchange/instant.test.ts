import { describe, expect, it } from "vitest";
import { answeredAt, between, endedAt, sentAt } from "../../../src/core/exchange/instant.ts";
import { findStalls, witnessOf } from "../../../src/core/exchange/find-stalls.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

describe("an instant and its interval", () => {
  const { timing } = makeExchange({ sentMs: 1000, endMs: 3000, lateMs: 400 });

  it("holds what happened before this process came to look", () => {
    expect(sentAt(timing)).toEqual({ earliestMs: 1000, latestMs: 1400 });
    expect(answeredAt(timing)).toEqual({ earliestMs: 2595, latestMs: 2995 });
    expect(endedAt(timing)).toEqual({ earliestMs: 2600, latestMs: 3000 });
    expect(between(sentAt(timing), endedAt(timing))).toEqual({ leastMs: 1200, mostMs: 2000 });
  });

  it("is as wide as the exchange where nobody measured how late the process was", () => {
    const unmeasured = makeExchange({ sentMs: 1000, endMs: 3000, lateMs: null }).timing;
    expect(between(sentAt(unmeasured), endedAt(unmeasured))).toEqual({ leastMs: 0, mostMs: 2000 });
  });
});

describe("a service that stands still", () => {
  const other = (seq: number, sentMs: number, endMs: number): ReturnType<typeof makeExchange> =>
    makeExchange({ seq, sentMs, endMs });

  it.each([
    ["nobody else asked", [], false],
    ["others waited as long, of whatever key", [other(2, 1000, 12_000), other(3, 4000, 12_100)], true],
    ["one was answered meanwhile", [other(2, 1000, 12_000), other(3, 6000, 6030)], false],
    ["others were answered before and after", [other(2, 0, 400), other(3, 12_500, 12_600)], false],
  ])("is seen by those who wait: %s", (_, others, isStall) => {
    const held = makeExchange({ seq: 1, sentMs: 500, endMs: 12_000 });
    expect(findStalls([held, ...others].map(witnessOf)).isStall(1, 500, 12_000)).toBe(isStall);
  });
});
