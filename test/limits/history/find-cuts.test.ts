import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { findCuts } from "../../../src/limits/history/find-cuts.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

const served = (seq: number, sentMs: number): Exchange => makeExchange({ seq, sentMs, keyName: "primary", status: 200 });
const refused = (seq: number, sentMs: number): Exchange => ({
  ...served(seq, sentMs),
  response: null,
  failure: { kind: "connect-refused", message: "", code: "ECONNREFUSED" } as Exchange["failure"],
});

it("an absence begins with the first connection that is refused, and ends with the next answer", () => {
  const exchanges = [served(1, 0), refused(2, 100), refused(3, 200), served(4, 300), served(5, 400), refused(6, 500)];
  expect(findCuts(exchanges)).toEqual([100, 500]);
  expect(findCuts([served(1, 0), served(2, 100)])).toEqual([]);
});
