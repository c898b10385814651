import { describe, expect, it } from "vitest";
import { optionsTogether } from "../../../../src/conformance/judges/options/options-together.ts";
import { optionLabels, optionsText } from "../../../../src/conformance/judging/option-labels.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

function outcomes(...sent: readonly (readonly [options: string, status: number])[]): readonly string[] {
  const exchanges = sent.map(([options, status], index): Exchange => {
    const label = optionLabels.label(
      optionsText(
        index + 1,
        options.split(" ").filter((name) => name !== ""),
      ),
    );
    return makeExchange({ seq: index + 1, endpoint: "chat", label, sent: {}, status });
  });
  return printJudge(optionsTogether, exchanges).map((line) => line.split(" [")[0] ?? "");
}

describe("CHAT-044: options together", () => {
  const together = "options that are accepted one by one are refused together";

  it("pass where they are accepted", () => {
    expect(outcomes(["", 200], ["a b", 200])).toEqual(["CHAT-044 pass #1", "CHAT-044 pass #2"]);
  });

  it("fail by the pair that no accepted request has", () => {
    expect(outcomes(["a c", 200], ["b c", 200], ["a b c", 422])).toEqual([
      "CHAT-044 pass #1",
      "CHAT-044 pass #2",
      `CHAT-044 fail #3: ${together}: a with b`,
    ]);
  });

  it("are named all where each pair was accepted", () => {
    expect(outcomes(["a b", 200], ["a c", 200], ["b c", 200], ["a b c", 422]).at(-1)).toBe(
      `CHAT-044 fail #4: ${together}: a with b with c`,
    );
  });

  it("are those that are refused without the others, where that was asked", () => {
    const others = ["a", "b", "c"].map((options) => [options, 200] as const);
    expect(outcomes(...others, ["a b c", 422], ["b c", 422]).slice(3)).toEqual([
      `CHAT-044 fail #4: ${together}: b with c`,
      `CHAT-044 fail #5: ${together}: b with c`,
    ]);
  });

  it("leave to other rows the option that is never accepted", () => {
    expect(outcomes(["a", 200], ["a b", 422])).toEqual(["CHAT-044 pass #1"]);
  });

  it("leave to other rows the usual value of an option that is never accepted", () => {
    const usual = ["a c", "b c", ""].map((options) => [options, 422] as const);
    const others = ["a c list-1", "b list-2", "b c list-1"].map((options) => [options, 200] as const);
    expect(outcomes(...usual, ...others)).toEqual([
      "CHAT-044 inconclusive #1 #2 #3: the usual value of an option is refused whatever stands beside it: the row on that value judges it",
    ]);
  });

  it("prove nothing where nothing is accepted, or the answer is about something else", () => {
    expect(outcomes(["a", 422])).toEqual(["CHAT-044 inconclusive #1: answered 422"]);
    expect(outcomes(["a", 200], ["b", 200], ["a b", 503]).at(-1)).toBe("CHAT-044 inconclusive #3: answered 503");
  });
});
