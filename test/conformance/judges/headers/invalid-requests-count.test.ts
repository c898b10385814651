import { describe, expect, it } from "vitest";
import { judgeExchanges } from "../../../../src/conformance/verdict/judge-exchanges.ts";
import { invalidRequestsCount } from "../../../../src/conformance/judges/headers/invalid-requests-count.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { contextWith } from "../../../suites/judge-with.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/exchanges/make-exchange.ts";

const reset = "1795253460";

/** Answers of one key one after the other: status and what remains. */
function series(answers: readonly (readonly [status: number, remaining: number, draft?: ExchangeDraft])[]): readonly Exchange[] {
  return answers.map(([status, remaining, draft], index) =>
    makeExchange({
      seq: index + 1,
      endpoint: "chat",
      status,
      headers: [
        ["x-ratelimit-remaining-requests", String(remaining)],
        ["x-ratelimit-reset-requests", reset],
      ],
      ...draft,
    }),
  );
}

function answersOn(exchanges: readonly Exchange[]): readonly (string | undefined)[] {
  return judgeExchanges(exchanges, [invalidRequestsCount], contextWith()).map(({ outcome, answer }) => `${outcome}: ${answer}`);
}

const served = [
  [200, 60],
  [200, 59],
  [200, 58],
  [200, 57],
] as const;

describe("whether invalid requests count", () => {
  it("is read from the step of each of them", () => {
    expect(answersOn(series([...served, [422, 56], [422, 56]]))).toEqual([
      "observed: a request answered 422 counts",
      "observed: a request answered 422 does not count",
    ]);
  });

  it("is open where successes do not take one each, or too few were seen", () => {
    expect(answersOn(series([...served, [200, 57], [422, 56]]))).toEqual([]);
    expect(answersOn(series([...served.slice(1), [422, 56]]))).toEqual([]);
  });

  it("is open where requests overlap, windows change or other keys speak", () => {
    expect(answersOn(series([...served, [422, 56, { sentMs: 410 }]]))).toEqual([]);
    expect(answersOn(series([...served, [422, 59, { headers: [["x-ratelimit-remaining-requests", "59"]] }]]))).toEqual([]);
    expect(answersOn(series([...served, [422, 56, { keyName: "secondary" }]]))).toEqual([]);
  });
});
