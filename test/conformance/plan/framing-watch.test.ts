import { expect, it } from "vitest";
import { createFramingWatch } from "../../../src/conformance/plan/framing-watch.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { SendRequest } from "../../../src/core/exchange/send-request.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import { streamedChat } from "../../make/wire/wire-to.ts";

const [chunks, expectation] = [
  ["Transfer-Encoding", "chunked"],
  ["expect", "100-continue"],
] as const;
type Field = typeof chunks | typeof expectation;
const request = (field: Field): SendRequest => ({ ...streamedChat, headers: { "x-other": "1", [field[0]]: field[1] } });
const sent = (field: Field, draft: Parameters<typeof makeExchange>[0] = {}): Exchange => {
  const exchange = makeExchange(draft);
  return { ...exchange, request: { ...exchange.request, headers: [...exchange.request.headers, field] } };
};
const silence = { status: null, failure: { kind: "timeout", message: "" } } as const;

it("no other framing is sent before the target has answered", () => {
  const watch = createFramingWatch();
  watch.learn(makeExchange(silence));
  expect(watch.fit(request(chunks)).headers).toEqual({ "x-other": "1" });
  watch.learn(makeExchange());
  expect(watch.fit(request(chunks))).toEqual(request(chunks));
});

it("a framing that is left without an answer is not sent again, and another one is", () => {
  const watch = createFramingWatch();
  watch.learn(makeExchange());
  watch.learn(sent(chunks, silence));
  expect(watch.fit(request(chunks)).headers).toEqual({ "x-other": "1" });
  expect(watch.fit(request(expectation))).toEqual(request(expectation));
});

it("a framing that was answered before is sent all the same", () => {
  const watch = createFramingWatch();
  watch.learn(sent(chunks));
  watch.learn(sent(chunks, silence));
  expect(watch.fit(request(chunks))).toEqual(request(chunks));
});
