import { describe, expect, it } from "vitest";
import { describeViolation, rejectsAsStated } from "../../../src/conformance/judges/rejections/rejects-as-stated.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { ViolatedCondition } from "../../../src/core/exchange/intent.ts";
import { type ExchangeDraft, makeExchange } from "../../make/exchanges/make-exchange.ts";
import { printJudge } from "./print-occurrences.ts";

describe("rejects-as-stated", () => {
  const twin = (draft: ExchangeDraft = {}): Exchange => makeExchange({ seq: 1, endpoint: "images", label: "twin", ...draft });
  const wrong = (status: number, condition: ViolatedCondition, draft: ExchangeDraft = {}, row = "IMG-001"): Exchange =>
    makeExchange({
      seq: 2,
      endpoint: "images",
      status,
      intent: { kind: "violates", requirement: row, condition, field: "size", twin: "twin" },
      ...draft,
    });
  const outcomesOf = (...exchanges: readonly Exchange[]): readonly string[] => printJudge(rejectsAsStated, exchanges);
  /** Outcomes by requirement, in order. */
  const outcomes = (...exchanges: readonly Exchange[]): readonly string[] =>
    outcomesOf(...exchanges).map((line) => line.split(" ").slice(0, 2).join(" "));

  it("tolerates spellings that differ in case only, where the twin shows the lawful one (AMB-03)", () => {
    const reported = (sent: unknown, lawful: unknown, status = 200): readonly string[] =>
      outcomes(twin({ sent: { size: lawful } }), wrong(status, "out-of-range", { sent: { size: sent } }));
    const [advised, accused] = [
      ["IMG-001 advisory", "ERR-022 advisory"],
      ["IMG-001 fail", "ERR-022 fail"],
    ];
    expect(reported("1024X1024", "1024x1024")).toEqual(advised);
    expect(reported("1024x1024", "1024X1024")).toEqual(advised);
    expect(reported("1024x1024", "1024x1024")).toEqual(accused);
    expect(reported("512x512", "1024x1024")).toEqual(accused);
    expect(reported(7, "7")).toEqual(accused);
    expect(reported("7", 7)).toEqual(accused);
    expect(reported("1024X1024", "1024x1024", 404)).toEqual(accused);
    const exchange = wrong(200, "out-of-range", { sent: { size: "HD" } });
    const whole: Exchange = {
      ...exchange,
      intent: { kind: "violates", requirement: "IMG-001", condition: "out-of-range", twin: "twin" },
    };
    expect(outcomes(twin({ sent: { size: "hd" } }), whole)).toEqual(accused);
    const alone: Exchange = { ...exchange, intent: { ...exchange.intent, twin: null } as Exchange["intent"] };
    expect(outcomes(alone)).toEqual(accused);
  });

  it.each([
    [399, "fail"],
    [400, "pass"],
    [499, "pass"],
    [404, "pass"],
    [200, "advisory"],
  ] as const)("counts %i to a wrong media type as %s", (status, outcome) => {
    expect(outcomes(twin(), wrong(status, "wrong-media-type"))).toEqual([`IMG-001 ${outcome}`]);
  });

  it("reports each row once, with what was expected", () => {
    expect(outcomes(twin(), wrong(422, "out-of-range", {}, "ERR-022"))).toEqual(["ERR-022 pass", "ERR-024 pass"]);
    expect(outcomesOf(twin(), wrong(400, "out-of-range"))).toEqual([
      ...["IMG-001", "ERR-022"].map(
        (row) =>
          `${row} fail #2 #1: a request with size out of range is answered 400 instead of 422 [expected 422 for a request with size out of range] [observed 400]`,
      ),
      "ERR-024 fail #2 #1: a failed validation is answered 400 [expected 422] [observed 400]",
    ]);
  });

  it("takes any twin that was accepted, and says why a refusal proves nothing", () => {
    const refused = twin({ status: 403 });
    expect(outcomesOf(refused, wrong(422, "out-of-range"))).toEqual([
      "IMG-001 inconclusive #2: the valid request that it varies was not accepted either (403), so the refusal proves nothing",
    ]);
    expect(outcomesOf(wrong(422, "out-of-range"))).toEqual([
      "IMG-001 inconclusive #2: the valid request that it varies was not sent",
    ]);
    expect(outcomesOf(twin({ caseId: "other" }), wrong(422, "out-of-range"))[0]).toContain("was not sent");
    expect(outcomesOf(refused, { ...twin(), seq: 3 }, wrong(422, "out-of-range"))[0]).toBe("IMG-001 pass #2 #3");
    expect(outcomesOf(twin(), { ...refused, seq: 3 }, wrong(422, "out-of-range"))[0]).toBe("IMG-001 pass #2 #1");
  });

  it("names each condition", () => {
    const named = (condition: ViolatedCondition, field?: string): object =>
      describeViolation({
        kind: "violates",
        requirement: "IMG-001",
        condition,
        twin: null,
        ...(field === undefined ? {} : { field }),
      });
    expect(named("missing-field", "n")).toEqual({ text: "a request without n", field: "n" });
    expect(named("fault-trigger")).toEqual({ text: "a request that provokes a fault" });
  });
});
