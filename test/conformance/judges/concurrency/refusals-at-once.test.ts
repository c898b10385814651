import { expect, it } from "vitest";
import { atOnceLabels } from "../../../../src/conformance/judges/concurrency/at-once.ts";
import { refusalLabels, refusalsAtOnce } from "../../../../src/conformance/judges/concurrency/refusals-at-once.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange, wallMs } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

/** One chat request with what remains in a window that ends in a minute. */
function sent(seq: number, label: string, status: number, remaining: number, keyName: string | null = "primary"): Exchange {
  const reset = String(Math.floor(wallMs / 1000) + 60);
  return makeExchange({
    seq,
    label,
    status,
    keyName,
    caseId: "core/refusals-at-once",
    endpoint: "chat",
    headers: [
      ["x-ratelimit-limit-requests", "60"],
      ["x-ratelimit-remaining-requests", String(remaining)],
      ["x-ratelimit-reset-requests", reset],
    ],
  });
}

const verdicts = (...record: readonly Exchange[]): readonly string[] =>
  printJudge(refusalsAtOnce, record, { exclusive: true }).map((line) => line.split(":")[0] ?? "");

/** Refusals alone, of which each takes so much of the window, and two valid requests. */
function alone(each: number): readonly Exchange[] {
  const kinds = ["temperature", "effort", "unknown-model"] as const;
  const refused = kinds.map((kind, index) => sent(1 + index, refusalLabels.alone.label(kind), 422, 50 - each * index));
  const left = 50 - 2 * each;
  return [
    ...refused,
    sent(4, atOnceLabels.alone.label("chat-0"), 200, left - 1),
    sent(5, atOnceLabels.alone.label("chat-1"), 200, left - 2),
  ];
}

function together(afterwards: number, valid = 200, refused = 422): readonly Exchange[] {
  return [
    sent(6, atOnceLabels.chat.label(0), valid, 40),
    sent(7, refusalLabels.company.label("temperature", 0), refused, 40),
    sent(8, refusalLabels.company.label("effort", 0), 422, 40),
    sent(9, atOnceLabels.afterwards, 200, afterwards),
  ];
}

it("passes where each is answered as alone and the number falls by what the key sent", () => {
  expect(new Set(verdicts(...alone(0), ...together(46)).map((line) => line.split(" #")[0]))).toEqual(new Set(["SVC-024 pass"]));
  expect(new Set(verdicts(...alone(1), ...together(42)).map((line) => line.split(" #")[0]))).toEqual(new Set(["SVC-024 pass"]));
});

it("reports a valid request that is refused, and a refusal that is none", () => {
  expect(verdicts(...alone(0), ...together(46, 422))).toContain("SVC-024 fail #6 #4");
  expect(verdicts(...alone(0), ...together(46, 200, 200))).toContain("SVC-024 fail #7 #1");
  expect(verdicts(...alone(0), ...together(46, 200, 401))).toContain("SVC-024 fail #7 #1");
});

it("reports what is counted for a key that did not send it, and knows whether refusals count", () => {
  expect(verdicts(...alone(0), ...together(45))).toContain("SVC-024 fail #9 #5");
  expect(verdicts(...alone(1), ...together(41))).toContain("SVC-024 fail #9 #5");
  expect(verdicts(...alone(1), ...together(43))).toContain("SVC-024 pass #9 #5");
});

it("says nothing of trouble, which has a row of its own", () => {
  expect(verdicts(...alone(0), ...together(46, 503))).toContain("SVC-024 inconclusive #6 #4");
  expect(verdicts(...alone(0), ...together(46, 429))).toContain("SVC-024 inconclusive #6 #4");
});
