import { describe, expect, it } from "vitest";
import { relationsHold } from "../../../../src/conformance/judges/relations/relations-hold.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

interface Report {
  readonly from?: number;
  readonly to?: number;
  readonly granularity?: string;
  readonly tokens: number;
  readonly cost: number;
}

const hour = (at: number): string => `2026-11-21T0${at}:00:00Z`;

/** The outcomes of a row on reports that are read one after another, each with the cost that it states. */
function outcomes(requirement: string, ...reports: readonly Report[]): readonly string[] {
  const exchanges = reports.map(({ from = 1, to = 3, granularity = "hour", tokens, cost }, index) => {
    const bucket = { timestamp: hour(from), prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens, cost_usd: cost };
    const path = `/v1/usage?from=${hour(from)}&to=${hour(to)}&granularity=${granularity}`;
    const received = { object: "list", data: [bucket], aggregate: { total_tokens: tokens, total_cost_usd: cost } };
    return makeExchange({ seq: index + 1, endpoint: "usage", path, received });
  });
  const said = printJudge(relationsHold, exchanges).filter((line) => line.startsWith(requirement));
  return [...new Set(said.map((line) => line.split(" ")[1] ?? ""))];
}

describe("USG-045: cost of reports with the same tokens", () => {
  it("may grow, because images cost money and use no tokens", () => {
    expect(outcomes("USG-045", { tokens: 5, cost: 1 }, { tokens: 5, cost: 1.5 })).toEqual(["pass"]);
  });

  it("does not fall", () => {
    expect(outcomes("USG-045", { tokens: 5, cost: 1.5 }, { tokens: 5, cost: 1 })).toContain("fail");
  });

  it("shows a form that states more by the next report of another form", () => {
    const day = { granularity: "day", tokens: 5, cost: 1 };
    expect(outcomes("USG-045", day, { tokens: 5, cost: 1.5 }, day)).toContain("fail");
  });
});

describe("USG-031: cost of adjacent windows", () => {
  const [left, right] = [
    { to: 2, tokens: 2, cost: 1 },
    { from: 2, tokens: 3, cost: 2 },
  ];

  it("may be less than that of a union that is asked for later, and more than that of an earlier one", () => {
    expect(outcomes("USG-031", { tokens: 5, cost: 2.5 }, left, right, { tokens: 5, cost: 3.5 })).toEqual(["pass"]);
  });

  it("is no more than that of a later union, and no less than that of an earlier one", () => {
    expect(outcomes("USG-031", left, right, { tokens: 5, cost: 2.5 })).toContain("fail");
    expect(outcomes("USG-031", { tokens: 5, cost: 3.5 }, left, right)).toContain("fail");
  });
});
