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
    ["one was answered before it began", [other(2, 505, 535), other(3, 510, 12_000), other(4, 520, 12_010)], true],
    ["several were, one after the other", [other(2, 505, 535), other(3, 540, 1600), other(4, 1605, 12_000)], true],
    ["one was as soon as it went on", [other(2, 1000, 11_900), other(3, 11_950, 11_960)], true],
    ["one was, and nobody asked then", [other(2, 505, 535)], false],
    ["one was, and the next was answered", [other(2, 505, 535), other(3, 540, 12_000), other(4, 9000, 9030)], false],
    ["one was that came after the other", [other(2, 510, 12_000), other(3, 2000, 2030)], false],
    ["many that left together were", [other(2, 500, 12_000), other(3, 500, 530), other(4, 500, 540)], false],
    ["they waited for a small part of it", [other(2, 505, 535), other(3, 8000, 12_000)], false],
    ["others were answered before and after", [other(2, 0, 400), other(3, 12_500, 12_600)], false],
  ])("is seen by those who wait: %s", (_, others, isStall) => {
    const held = makeExchange({ seq: 1, sentMs: 500, endMs: 12_000 });
    expect(findStalls([held, ...others].map(witnessOf)).isStall(1, 500, 12_000)).toBe(isStall);
  });
});
