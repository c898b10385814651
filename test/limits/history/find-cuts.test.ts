import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { findCuts } from "../../../src/limits/history/find-cuts.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";

const served = (seq: number, sentMs: number): Exchange => makeExchange({ seq, sentMs, keyName: "primary", status: 200 });
const refused = (seq: number, sentMs: number): Exchange => ({
  ...served(seq, sentMs),
  response: null,
  failure: { kind: "connect-refused", message: "", code: "ECONNREFUSED" } as Exchange["failure"],
});
const wrong: ExchangeDraft = { intent: { kind: "violates", condition: "malformed-json", requirement: "REQ-001", twin: null } };
const slow: ExchangeDraft = { lateMs: 1200, endMs: 5000 };

it("an absence begins with the first connection that is refused, and ends with the next answer", () => {
  const exchanges = [served(1, 0), refused(2, 100), refused(3, 200), served(4, 300), served(5, 400), refused(6, 500)];
  expect(findCuts(exchanges)).toEqual([100, 500]);
  expect(findCuts([served(1, 0), served(2, 100)])).toEqual([]);
});

const cut = (seq: number, keyName: string | null, endMs: number, other: Partial<ExchangeDraft> = {}): Exchange =>
  makeExchange({
    seq,
    keyName,
    sentMs: 1000 + seq,
    endMs,
    status: null,
    failure: { kind: "connection-closed", message: "" },
    ...other,
  });

describe("a service that begins anew without a word", () => {
  it("cuts all that is under way at once, whatever its key", () => {
    expect(findCuts([served(1, 0), cut(2, "primary", 1500), cut(3, "secondary", 1510), served(4, 2000)])).toEqual([1500]);
    expect(findCuts([cut(2, "primary", 1500), cut(3, null, 1500), cut(4, "primary", 9000), cut(5, null, 9001)])).toEqual([
      1500, 9000,
    ]);
    const halfway = cut(3, "secondary", 1510, { status: 200, failure: { kind: "incomplete-body", message: "" } });
    expect(findCuts([cut(2, "primary", 1500), halfway])).toEqual([1500]);
  });

  it.each([
    ["one connection", [cut(2, "primary", 1500)]],
    ["the connections of one key", [cut(2, "primary", 1500), cut(3, "primary", 1500), cut(4, "primary", 1501)]],
    ["connections one after the other", [cut(2, "primary", 1500), cut(3, "secondary", 2500)]],
    ["one that was sent when the other was cut", [cut(2, "primary", 1500), cut(3, "secondary", 1600, { sentMs: 1550 })]],
    [
      "some of those that are under way",
      [cut(2, "primary", 1500), cut(3, "secondary", 1500), makeExchange({ seq: 4, keyName: "admin", sentMs: 1200, endMs: 1900 })],
    ],
    ["requests that are wrong", [cut(2, "primary", 1500, wrong), cut(3, "secondary", 1500, wrong)]],
    ["connections of a client that is slow", [cut(2, "primary", 1500, slow), cut(3, "secondary", 1500, slow)]],
  ])("is none that cuts %s", (_, exchanges) => {
    expect(findCuts([served(1, 0), ...exchanges, served(9, 3000)])).toEqual([]);
  });
});
