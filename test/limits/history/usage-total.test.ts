import { expect, it } from "vitest";
import { readTotalCents } from "../../../src/limits/history/usage-total.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

it.each([
  [1.25, 125],
  [-0.5, -50],
  [1e308, null],
  [2e12, null],
  ["1", null],
  [undefined, null],
])("a total of %s USD is %s cents", (total, cents) => {
  const received = { object: "list", data: [], aggregate: { total_cost_usd: total } };
  expect(readTotalCents(makeExchange({ endpoint: "usage", received }))).toBe(cents);
});
