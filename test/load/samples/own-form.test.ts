import { expect, it } from "vitest";
import { packRecords } from "../../../src/load/ledger/record-columns.ts";
import { unpackRecords } from "../../../src/load/ledger/unpack-records.ts";
import { measureExchange } from "../../../src/load/samples/measure-exchange.ts";
import type { LoadRecord } from "../../../src/load/samples/load-record.ts";
import { plainRecord } from "../../make/exchanges/plain-record.ts";
import { runAgainst } from "../../make/load/run-against.ts";
import { context, cutShort, event } from "../../make/load/exchange-fixture.ts";

it("a stream whose events have a form of their own is an answer", async () => {
  const result = await runAgainst(
    (_, response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end('data: {"w":"a"}\n\ndata: {}\n\n'),
    { arrivals: { kind: "constant", ratePerSecond: 6 } },
  );
  expect(result.outcomes).toEqual({ ok: 6 });
});

it("is no answer of a target whose streams have the form of the convention", async () => {
  const chunk = 'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\n';
  const busy = 'data: {"detail":"overloaded"}\n\ndata: {"retry_in":5}\n\n';
  const result = await runAgainst(
    ({ number }, response) =>
      void response.writeHead(200, { "content-type": "text/event-stream" }).end(number % 2 === 1 ? chunk : busy),
    { abort: { errorRate: 1 }, arrivals: { kind: "constant", ratePerSecond: 6 } },
  );
  expect(result.outcomes).toEqual({ ok: 3, "server-error": 3 });
});

it.each([
  [15, false, false],
  [20, false, true],
  [99, false, true],
  [100, true, false],
])("its first token came between 20 and 100 ms: within %i ms it is good %s, maybe %s", (ttftMs, good, maybeGood) => {
  const exchange = cutShort([event(120, { w: "a" }), event(195, { usage: { completion_tokens: 1 } })]);
  const slo = { ...context.slo, ttftMs };
  const { record } = measureExchange(exchange, { ...context, slo });
  expect(record).toMatchObject({ outcome: "ok", good, maybeGood, stream: { finished: true, ownForm: true } } satisfies Shown);
  expect(unpackRecords(packRecords([record]), 1, slo).map(plainRecord)).toEqual([record]);
});

type Shown = { readonly stream: Partial<LoadRecord["stream"]> } & Partial<Omit<LoadRecord, "stream">>;
