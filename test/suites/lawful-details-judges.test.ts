import { describe, expect, it } from "vitest";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Intent } from "../../src/core/exchange/intent.ts";
import { contextWith } from "./judge-with.ts";
import { makeExchange } from "../make/make-exchange.ts";

const intent: Intent = {
  kind: "violates",
  requirement: "CHAT-021",
  condition: "out-of-range",
  field: "temperature",
  twin: null,
};

function accusations(exchanges: readonly Exchange[], rows: readonly string[]): readonly string[] {
  return judgeExchanges(exchanges, allJudges, contextWith())
    .filter(({ requirement, outcome }) => outcome === "fail" && rows.includes(requirement))
    .map(({ requirement }) => requirement);
}

function refusedWith(entry: unknown): Exchange {
  return makeExchange({ endpoint: "chat", intent, status: 422, received: { error: { code: "invalid", details: [entry] } } });
}

describe("an entry of error.details, whose members the specification does not name", () => {
  it.each<unknown>([
    { temperature: "a number from 0 to 2" },
    { temperature: { min: 0, max: 2 } },
    ["temperature", "a number from 0 to 2"],
    { field: "temperature", expected: "0 to 2" },
    { source: { pointer: "/temperature" }, rule: { type: "number", maximum: 2 } },
    "temperature must be from 0 to 2",
  ])("is lawful as %j", (entry) => {
    expect(accusations([refusedWith(entry)], ["ERR-005", "ERR-006", "ERR-007"])).toEqual([]);
  });

  it.each([
    [{ field: "temperature" }],
    [{ temperature: null }],
    [{ temperature: true }],
    ["temperature"],
    [{ name: "temperature" }],
  ])("does not tell the expected format as %j", (entry) => {
    expect(accusations([refusedWith(entry)], ["ERR-005", "ERR-006", "ERR-007"])).toEqual(["ERR-007"]);
  });

  it("that reports a format but no field is accused of the field alone", () => {
    expect(accusations([refusedWith({ expected: "0 to 2" })], ["ERR-006", "ERR-007"])).toEqual(["ERR-006"]);
  });
});

describe("trouble of the server after a limit was used up", () => {
  const limited = (seq: number, status: number, remaining: string): Exchange =>
    makeExchange({
      seq,
      status,
      intent: { kind: "limit", policy: "requests", phase: "low-limit" },
      headers: [["x-ratelimit-remaining-requests", remaining]],
      received: { error: { code: "no" } },
    });

  it("is no refusal by another name where the target refuses with 429", () => {
    const history = [limited(1, 200, "0"), limited(2, 503, "0"), limited(3, 503, "0"), limited(4, 429, "0")];
    expect(accusations(history, ["RATE-019", "ERR-025"])).toEqual([]);
  });

  it("is one where it never does", () => {
    const history = [limited(1, 200, "0"), limited(2, 503, "0"), limited(3, 503, "0")];
    expect(accusations(history, ["RATE-019"])).toEqual(["RATE-019", "RATE-019"]);
  });
});
