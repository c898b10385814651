import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import type { HeaderList } from "../../../src/core/exchange/headers/header-list.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

const atMs = Date.UTC(2026, 0, 14, 12);
const date = ["Date", new Date(atMs).toUTCString()] as const;

function factsWith(headers: HeaderList): ReturnType<typeof factsOf> {
  const exchange = makeExchange({ seq: 1 });
  return factsOf({ ...exchange, response: { ...exchange.response!, headers } });
}

describe("the clock of an answer", () => {
  it("is its single Date field, and a cache is known by an age", () => {
    const facts = factsWith([date, ["age", "0"]]);
    expect([facts.dateMs, facts.isCached, facts.targetNowSeconds]).toEqual([atMs, false, atMs / 1000]);
    expect(factsWith([date, ["age", "0"], ["Age", "7"]]).isCached).toBe(true);
  });

  it.each([
    ["absent", []],
    ["repeated", [date, date]],
    ["no date", [["date", "yesterday"] as const]],
  ])("is ours where the field is %s", (_, headers: HeaderList) => {
    const facts = factsWith(headers);
    expect([facts.dateMs, facts.isCached]).toEqual([null, false]);
    expect(facts.targetNowSeconds).toBe(facts.received.latestMs / 1000);
  });

  it("is read for what happens now from a timestamp as well, which is no HTTP-date", () => {
    const facts = factsWith([["date", new Date(atMs).toISOString()]]);
    expect([facts.dateMs, facts.targetNowSeconds]).toEqual([null, atMs / 1000]);
  });
});

describe("the code of an error", () => {
  it.each([
    [{ error: { code: "forbidden" } }, "forbidden", false],
    [{ error: { code: 403 } }, "403", false],
    [{ error: "quota_exceeded" }, "quota_exceeded", true],
    [{ error: "quota_exceeded", code: "x" }, "quota_exceeded", true],
    [{ error: "too many", retry_after_ms: 1, cap_type: "monthly_spend" }, "too many", false],
    [{ error: { code: "quota_exceeded" } }, "quota_exceeded", false],
    [{ detail: "no" }, null, false],
  ])("of %j is %s; whether a cap is spent: %s", (received, code, isQuotaExceeded) => {
    const facts = factsOf(makeExchange({ status: 429, received }));
    expect([facts.errorCode, facts.isQuotaExceeded]).toEqual([code, isQuotaExceeded]);
  });
});
