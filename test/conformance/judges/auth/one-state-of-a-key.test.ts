import { describe, expect, it } from "vitest";
import { oneStateOfAKey } from "../../../../src/conformance/judges/auth/one-state-of-a-key.ts";
import type { EndpointId } from "../../../../src/core/exchange/endpoint.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

type Answer = readonly [endpoint: EndpointId, status: number];

function asked(answers: readonly Answer[], keyName: string | null): readonly Exchange[] {
  const intent = { kind: "violates", requirement: "AUTH-022", condition: "bad-credentials", twin: null } as const;
  const first = keyName === null ? 10 : 0;
  return answers.map(([endpoint, status], at) =>
    makeExchange({ seq: first + at, endpoint, status, keyName, intent, label: endpoint }),
  );
}

const verdicts = (answers: readonly Answer[], ofNobody: readonly Answer[] = []): readonly string[] =>
  printJudge(oneStateOfAKey, [...asked(answers, "rotated"), ...asked(ofNobody, null)]).map((line) => line.split(":")[0] ?? "");

describe("one-state-of-a-key", () => {
  it("passes where every operation refuses the key, and says nothing where none does", () => {
    expect(
      verdicts([
        ["chat", 401],
        ["models", 401],
        ["usage", 401],
      ]),
    ).toEqual(["AUTH-038 pass #0 #2"]);
    expect(
      verdicts([
        ["chat", 200],
        ["models", 200],
        ["usage", 200],
      ]),
    ).toEqual([]);
  });

  it("fails where one operation serves the key between two that refuse it", () => {
    expect(
      verdicts([
        ["chat", 401],
        ["models", 200],
        ["usage", 401],
      ]),
    ).toEqual(["AUTH-038 fail #1 #0 #2"]);
  });

  it("takes a period of grace that ends meanwhile, a path that is only named, and an operation that checks no key", () => {
    expect(
      verdicts([
        ["models", 200],
        ["chat", 401],
        ["usage", 401],
      ]),
    ).toEqual(["AUTH-038 pass #1 #2"]);
    expect(
      verdicts([
        ["chat", 401],
        ["verify", 200],
        ["usage", 401],
      ]),
    ).toEqual(["AUTH-038 pass #0 #2"]);
    expect(
      verdicts(
        [
          ["chat", 401],
          ["models", 200],
          ["usage", 401],
        ],
        [["models", 200]],
      ),
    ).toEqual(["AUTH-038 pass #0 #2"]);
  });
});
