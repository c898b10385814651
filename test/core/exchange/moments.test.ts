import { expect, it } from "vitest";
import { bySending, isOverBefore, leastWaitMs, momentsOf } from "../../../src/core/exchange/moments.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

it("a wait counts as far as the instrument was awake, and an older record by what it says", () => {
  const times = { sentMs: 1000, endMs: 6000 };
  expect(leastWaitMs(makeExchange({ ...times, lateMs: 0 }))).toBe(4995);
  expect(leastWaitMs(makeExchange({ ...times, lateMs: 2000 }))).toBe(995);
  expect(leastWaitMs(makeExchange({ ...times, lateMs: 9000 }))).toBe(0);
  expect(leastWaitMs(makeExchange({ ...times, lateMs: null }))).toBe(4995);
});

it("one is over before another only where that holds for all instants of both", () => {
  const first = makeExchange({ seq: 1, sentMs: 0, endMs: 100, lateMs: 40 });
  expect(momentsOf(first).ended).toEqual({ earliestMs: 60, latestMs: 100 });
  expect(isOverBefore(first, makeExchange({ seq: 2, sentMs: 100, endMs: 120 }))).toBe(true);
  expect(isOverBefore(first, makeExchange({ seq: 2, sentMs: 99, endMs: 120 }))).toBe(false);
  expect([makeExchange({ seq: 2, sentMs: 5, endMs: 6 }), first].toSorted(bySending).map(({ seq }) => seq)).toEqual([1, 2]);
});
