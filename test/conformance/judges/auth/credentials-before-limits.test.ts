import { expect, it } from "vitest";
import { credentialsBeforeLimits, deadKeyLabels } from "../../../../src/conformance/judges/auth/credentials-before-limits.ts";
import { judgeExchanges } from "../../../../src/conformance/verdict/judge-exchanges.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { contextWith } from "../../../suites/judge-with.ts";
import { printJudge } from "../print-occurrences.ts";

const caseId = "limits/low-limit";
const limit = { kind: "limit", policy: "requests", phase: "low-limit" } as const;

function dead(seq: number, label: string, status: number, sentMs?: number): Exchange {
  const intent = { kind: "housekeeping", purpose: "present no valid key", answers: [401] } as const;
  return makeExchange({ seq, caseId, label, status, keyName: null, intent, ...(sentMs === undefined ? {} : { sentMs }) });
}

/** A bad credential, a limit that is used up for half a minute, and bad credentials again. */
function recordOf(before: number, almost: number, unknown: number, laterMs: number = 0): readonly Exchange[] {
  const used = { seq: 2, caseId, label: "models-1", status: 429, keyName: "lowLimit", intent: limit };
  return [
    dead(1, deadKeyLabels.before, before),
    makeExchange({ ...used, headers: [["retry-after", "30"]] }),
    dead(3, deadKeyLabels.while.label("almost"), almost, 300 + laterMs),
    dead(4, deadKeyLabels.while.label("unknown"), unknown, 400 + laterMs),
  ];
}

function judged(...answers: Parameters<typeof recordOf>): readonly string[] {
  return printJudge(credentialsBeforeLimits, recordOf(...answers)).map((line) => line.split(" #")[0] ?? "");
}

it("passes where a bad credential is answered 401 before and while the limit of another key is used up", () => {
  expect(judged(401, 401, 401)).toEqual(["AUTH-037 pass", "AUTH-037 pass"]);
});

it("fails where it meets the limit, or another answer", () => {
  expect(judged(401, 429, 401)).toEqual(["AUTH-037 fail", "AUTH-037 pass"]);
  expect(judged(401, 429, 429)).toEqual(["AUTH-037 fail", "AUTH-037 fail"]);
  expect(judged(401, 200, 401)).toEqual(["AUTH-037 fail", "AUTH-037 pass"]);
});

it("says nothing where bad credentials are held back at any time, in trouble, or when the limit may be over", () => {
  expect(judged(429, 429, 429)).toEqual(["AUTH-037 inconclusive", "AUTH-037 inconclusive"]);
  expect(judged(401, 503, 401)).toEqual(["AUTH-037 inconclusive", "AUTH-037 pass"]);
  expect(judged(401, 401, 401, 60_000)).toEqual(["AUTH-037 inconclusive", "AUTH-037 inconclusive"]);
});

it("is certain at once where the last bad credential is refused rightly, and asks for a repetition where it is not", () => {
  const certainty = (...answers: Parameters<typeof recordOf>): readonly unknown[] =>
    judgeExchanges(recordOf(...answers), [credentialsBeforeLimits], contextWith()).map(({ conclusive }) => conclusive);
  expect(certainty(401, 429, 401)[0]).toBe(true);
  expect(certainty(401, 429, 429)).toEqual([false, false]);
});

it("says nothing where the instrument was too late to know when the bad credential left", () => {
  const late = recordOf(401, 401, 401).map((exchange) => ({
    ...exchange,
    timing: { ...exchange.timing, endMs: 50_000, lateMs: 40_000 },
  }));
  const outcomes = printJudge(credentialsBeforeLimits, late).map((line) => line.split(" #")[0]);
  expect(outcomes).toEqual(["AUTH-037 inconclusive", "AUTH-037 inconclusive"]);
});
