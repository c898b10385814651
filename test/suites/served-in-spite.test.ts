import { describe, expect, it } from "vitest";
import { factsOf } from "../../src/core/exchange/exchange-facts.ts";
import { describeAnswer } from "../../src/conformance/judging/describe-answer.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import type { EndpointId } from "../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import { contextWith } from "./judge-with.ts";
import { makeExchange } from "../make/exchanges/make-exchange.ts";

/** Rows on the body of a success; what every response must be (JSON, media type, headers) is not among them. */
const bodyRows: Readonly<Partial<Record<EndpointId, readonly string[]>>> = {
  chat: ["CMPL-006"],
  embeddings: ["EMB-027"],
  images: ["IMG-020"],
  transcriptions: ["AUD-018"],
  models: ["MOD-002"],
  usage: ["USG-014"],
};

function accusations(exchange: Exchange): readonly string[] {
  return judgeExchanges([exchange], allJudges, contextWith())
    .filter(({ outcome }) => outcome === "fail")
    .map(({ requirement }) => requirement);
}

function served(endpoint: EndpointId, intent: Intent, received: unknown = {}): Exchange {
  return makeExchange({ endpoint, intent, sent: { messages: [], input: "x", prompt: "x" }, received });
}

const wrong: Intent = { kind: "violates", requirement: "CHAT-002", condition: "missing-field", field: "model", twin: null };

describe("a request that is wrong on purpose and served all the same", () => {
  it.each(Object.entries(bodyRows) as [EndpointId, readonly string[]][])("does not accuse the body of %s", (endpoint, rows) => {
    expect(accusations(served(endpoint, { kind: "valid" }))).toEqual(expect.arrayContaining([...rows]));
    const found = accusations(served(endpoint, wrong));
    expect(found.filter((id) => rows.includes(id) || /^(CMPL|EMB|IMG|AUD|MOD|USG|STRM)-/.test(id))).toEqual([]);
  });

  it("accuses what every response must be, and that it was served", () => {
    const found = accusations(served("chat", wrong, "no JSON"));
    expect(found).toEqual(expect.arrayContaining(["SVC-001", "RATE-001", "CHAT-002"]));
  });
});

describe("describeAnswer", () => {
  it.each([
    [404, { error: { code: 404 } }, "404"],
    [404, { error: { code: "404" } }, "404"],
    [404, { error: { code: "not_found" } }, "404 (not_found)"],
    [422, {}, "422"],
  ])("names the code of %i %j only where it reports something", (status, received, text) => {
    expect(describeAnswer(factsOf(makeExchange({ status, received })))).toBe(text);
  });
});
