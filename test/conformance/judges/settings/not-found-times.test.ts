import { expect, it } from "vitest";
import { notFoundTimes } from "../../../../src/conformance/judges/settings/not-found-times.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import type { Intent } from "../../../../src/core/exchange/intent.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const unknown: Intent = { kind: "violates", requirement: "KEY-016", condition: "unknown-id", twin: "twin" };
const foreign: Intent = { kind: "violates", requirement: "KEY-017", condition: "foreign-id", twin: "twin" };
const other: Intent = { kind: "housekeeping", purpose: "send an invalid change" };

/** One pass of the case: how long answers took, milliseconds. */
function pass(seq: number, foreignMs: number, unknownMs: number, lateMs = 0): readonly Exchange[] {
  const asked: readonly (readonly [label: string, intent: Intent, ms: number])[] = [
    ["twin", { kind: "valid" }, 5],
    ["unknown", unknown, unknownMs],
    ["unknown-too", unknown, unknownMs],
    ["foreign", foreign, foreignMs],
    ["unknown-invalid", other, unknownMs],
    ["unknown-invalid-too", other, unknownMs],
    ["foreign-invalid", other, foreignMs],
  ];
  return asked.map(([label, intent, ms], index) => {
    const sentMs = 1000 * (seq + index);
    const draft = { seq: seq + index, label, intent, sentMs, endMs: sentMs + ms, lateMs, status: label === "twin" ? 200 : 404 };
    return makeExchange({ ...draft, caseId: "settings/foreign-key", endpoint: "key-settings" });
  });
}

const verdicts = (...passes: readonly (readonly Exchange[])[]): readonly string[] =>
  printJudge(notFoundTimes, passes.flat()).map((line) => line.split(" #")[0] ?? "");

it("advises where all answers about a foreign identifier come later, or earlier, in two passes", () => {
  expect(verdicts(pass(1, 310, 10), pass(11, 305, 12))).toEqual(["KEY-031 fail"]);
  expect(verdicts(pass(1, 10, 310), pass(11, 12, 305))).toEqual(["KEY-031 fail"]);
});

it("asks again after one pass", () => {
  expect(verdicts(pass(1, 310, 10))).toEqual(["KEY-031 inconclusive"]);
});

it("passes where a repetition does not show it, where the difference turns, and where it is small", () => {
  expect(verdicts(pass(1, 310, 10), pass(11, 12, 12))).toEqual(["KEY-031 pass"]);
  expect(verdicts(pass(1, 310, 10), pass(11, 10, 310))).toEqual(["KEY-031 pass"]);
  expect(verdicts(pass(1, 60, 10))).toEqual(["KEY-031 pass"]);
  // Six of twelve answers were slow, of either kind.
  expect(verdicts(pass(1, 310, 10), pass(11, 620, 320))).toEqual(["KEY-031 pass"]);
});

it("blames nobody for the lateness of this process", () => {
  expect(verdicts(pass(1, 310, 10, 250), pass(11, 305, 12, 250))).toEqual(["KEY-031 pass"]);
});
