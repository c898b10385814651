import { describe, expect, it } from "vitest";
import { notationLabels, otherNotations } from "../../../../src/conformance/judges/auth/other-notations.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { examineReference } from "../../examine-reference.ts";
import { printJudge } from "../print-occurrences.ts";

const label = notationLabels.label("models", "name-encoded");
const asked = (draft: ExchangeDraft): Exchange => makeExchange({ seq: 2, endpoint: null, keyName: null, label, ...draft });
const outcomes = (...exchanges: readonly Exchange[]): readonly string[] =>
  printJudge(otherNotations, exchanges).map((line) => line.split(":")[0]!);
const list = { object: "list", data: [] };

describe("other-notations", () => {
  it("passes whatever is no answer of the operation", () => {
    for (const draft of [
      { status: 401, received: { error: { code: "x" } } },
      { status: 404, received: "not here" },
      { status: 301, received: "" },
      // A front that answers every path with its first page, or with a greeting.
      { status: 200, received: "<html></html>" },
      { status: 200, received: { message: "welcome" } },
    ])
      expect(outcomes(asked(draft))).toEqual(["AUTH-039 pass #2"]);
  });

  it("accuses what has the stated members, or those that a valid key gets", () => {
    expect(outcomes(asked({ received: list }))).toEqual(["AUTH-039 fail #2"]);
    const own = { models: ["a"] };
    expect(outcomes(asked({ received: own }))).toEqual(["AUTH-039 pass #2"]);
    expect(outcomes(makeExchange({ seq: 1, received: own }), asked({ received: own }))).toEqual(["AUTH-039 fail #2"]);
  });

  it("leaves an operation that is open under its own path to the row on that", () => {
    const intent = { kind: "violates", requirement: "AUTH-002", condition: "no-credentials", twin: null } as const;
    expect(outcomes(makeExchange({ seq: 1, keyName: null, intent, received: list }), asked({ received: list }))).toEqual([]);
  });

  it("says nothing where nothing was answered, and of requests with a key", () => {
    const failure = { kind: "timeout", message: "no response head" } as const;
    expect(outcomes(asked({ status: null, failure }))).toEqual(["AUTH-039 inconclusive #2"]);
    expect(outcomes(asked({ keyName: "primary", received: list }))).toEqual([]);
  });
});

it("no path in another notation is asked for with a key: it would use up a limit that the record does not name", async () => {
  const { exchanges } = await examineReference({ cases: ["core/other-notations"] });
  const own = exchanges.filter(({ caseId }) => caseId === "core/other-notations");
  expect(own.length).toBeGreaterThan(3);
  expect(own.filter(({ keyName }) => keyName !== null)).toEqual([]);
});
