import { expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { readHistory } from "../../../src/limits/history/history.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";

interface Sent {
  readonly field: readonly [string, string];
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
}

function sentWith({ field, status = 200, headers = [] }: Sent): Exchange {
  const exchange = makeExchange({ seq: 2, sentMs: 100, endpoint: "models", status, headers: [...headers] });
  return { ...exchange, keyName: null, request: { ...exchange.request, headers: [["accept", "*/*"], [...field]] } };
}

function groupsOf(sent: Sent): readonly unknown[] {
  const { groups } = readHistory([sentWith(sent)], defaultTolerances);
  return [...groups].map(([id, [op]]) => [id, op?.outcome, op?.requests.remaining]);
}

const lowerCase = ["authorization", "bearer <key:primary>"] as const;

it.each<Sent>([
  { field: lowerCase },
  { field: ["authorization", "Bearer  <key:primary>"] },
  { field: ["x-api-key", "<key:primary>"] },
  { field: ["authorization", "Bearer <key:primary:case-swapped>"] },
  { field: lowerCase, status: 429 },
  { field: lowerCase, status: 500 },
  { field: lowerCase, status: 401, headers: [["x-ratelimit-remaining-requests", "7"]] },
])("a key in another form may have been counted: %j", (sent) => {
  expect(groupsOf(sent)).toEqual([["primary/models", "maybe", null]]);
});

it.each<Sent>([{ field: lowerCase, status: 401 }, { field: ["authorization", "Bearer wrong"] }])(
  "one that was refused without a count was not, nor one without a key: %j",
  (sent) => {
    expect(groupsOf(sent)).toEqual([]);
  },
);
