import { describe, expect, it } from "vitest";
import { factsOf } from "../../../src/core/exchange/exchange-facts.ts";
import { isEventStream, isKnownRoute } from "../../../src/conformance/judging/subjects.ts";
import { jsonBody } from "../../../src/conformance/judges/wellformed/json-body.ts";
import { noServerError } from "../../../src/conformance/judges/wellformed/no-server-error.ts";
import { openObjects } from "../../../src/conformance/judges/wellformed/open-objects.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../src/core/exchange/intent.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

describe("no-server-error", () => {
  const intent: Intent = { kind: "violates", requirement: "CHAT-002", condition: "out-of-range", twin: null };
  const asked = (seq: number, status: number, retryOf: number | null = null, draft: ExchangeDraft = {}): Exchange => ({
    ...makeExchange({ seq, status, intent, endpoint: "chat", ...draft }),
    retryOf,
  });
  const served = makeExchange({ seq: 9, endpoint: "chat" });
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(noServerError, [...exchanges, served]);

  it("accuses only where every one of several attempts ends in a 5xx", () => {
    expect(outcomes(asked(1, 500), asked(2, 503, 1))).toEqual([
      "SVC-014 fail #1 #2: a wrong request makes the service fail: 500 on each of 2 attempts [expected a 4xx answer that names the mistake] [observed 500, application/json, 2 bytes: {}]",
    ]);
    expect(outcomes(asked(1, 500))).toEqual(["SVC-014 inconclusive #1: answered 500 once and not asked again"]);
    expect(outcomes(asked(1, 500), asked(2, 499, 1))).toEqual(["SVC-014 pass #1 #2"]);
    expect(outcomes(asked(1, 422), asked(2, 500, 1))).toEqual(["SVC-014 pass #1 #2"]);
    expect(outcomes(asked(1, 500), asked(2, 500))).toHaveLength(2);
  });

  it("does not call wrong what the specification does not show", () => {
    const asks = { intent: { kind: "probe-unspecified", requirement: "MSG-010", question: "a list as content" } } as const;
    expect(outcomes(asked(1, 500, null, asks), asked(2, 500, 1, asks))[0]).toContain(
      "a request that the specification does not show makes the service fail: 500 on each of 2 attempts",
    );
  });

  it("blames the mistake only where the operation works for others", () => {
    const twice = [asked(1, 500), asked(2, 500, 1)];
    expect(printJudge(noServerError, twice)).toEqual([
      "SVC-014 inconclusive #1 #2: the operation answers no request, so the mistake may not be the cause",
    ]);
    const elsewhere = { endpoint: null };
    expect(printJudge(noServerError, [asked(1, 500, null, elsewhere), asked(2, 500, 1, elsewhere)])[0]).toContain("SVC-014 fail");
  });
});

describe("json-body", () => {
  it("leaves to the judges of streams what came instead of one, and only that", () => {
    const streamed = (status: number): readonly string[] =>
      printJudge(jsonBody, [makeExchange({ endpoint: "chat", sent: { stream: true }, status, received: "no" })]);
    expect(streamed(299)).toEqual([]);
    expect(streamed(300)[0]).toContain("SVC-001 fail");
  });

  it("allows a change of settings to be answered with nothing", () => {
    const changed = (status: number): readonly string[] =>
      printJudge(jsonBody, [makeExchange({ endpoint: "key-settings", status, received: "" })]);
    expect(changed(299)).toEqual([]);
    expect(changed(300)).toEqual([
      "SVC-001 fail #1: 300 to PATCH /v1/keys/{key_id}: the body is empty [expected a well-formed JSON text in UTF-8] [observed 300, application/json, an empty body]",
    ]);
  });

  it("names five repeated members at most, and what is wrong with the text", () => {
    const repeated = ["a", "b", "c", "d", "e", "f"].map((name) => `"${name}":1,"${name}":2`).join();
    expect(printJudge(jsonBody, [makeExchange({ received: `{${repeated}}` })])).toEqual([
      "SVC-001 pass #1",
      "SVC-019 fail #1: an object of the body names a member twice: clients disagree on which one counts [expected unique member names] [observed /a, /b, /c, /d, /e]",
    ]);
    expect(printJudge(jsonBody, [makeExchange({ receivedBytes: Uint8Array.of(255) })])).toEqual([
      "SVC-001 fail #1: 200 to GET /v1/models: the body is not UTF-8: byte 1 is FF [expected a well-formed JSON text in UTF-8] [observed 200, application/json, 1 bytes: ff]",
    ]);
  });
});

describe("open-objects", () => {
  it("says nothing about routes that the specification does not know", () => {
    expect(printJudge(openObjects, [makeExchange({ endpoint: null })])).toEqual([]);
    expect(printJudge(openObjects, [makeExchange({ received: { object: "list", data: [], next: null } })])).toEqual([
      "SVC-016 observed #1 = models: also next",
    ]);
  });
});

describe("subjects of judges", () => {
  it("are no routes that are only named and do not exist", () => {
    const route = (endpoint: ExchangeDraft["endpoint"], status: number): boolean =>
      isKnownRoute(factsOf(makeExchange({ endpoint: endpoint ?? null, status })));
    expect([404, 405, 200].map((status) => route("agents", status))).toEqual([false, false, true]);
    expect([404, 405].map((status) => route("models", status))).toEqual([true, true]);
    expect(route(null, 200)).toBe(false);
  });

  it("came as streams or not", () => {
    expect([{ stream: true }, {}, { status: null }].map((draft) => isEventStream(factsOf(makeExchange(draft))))).toEqual([
      true,
      false,
      false,
    ]);
  });
});
