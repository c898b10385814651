import { describe, expect, it } from "vitest";
import { costGroups, costLabels, likeCosts } from "../../../../src/conformance/judges/usage/like-costs.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

type Total = readonly [label: string, tokens: number, costUsd: number];

/** One report for each total of tokens and dollars, in the order of the case. */
function reports(totals: readonly Total[]): readonly Exchange[] {
  return totals.map(([label, total_tokens, total_cost_usd], index) =>
    makeExchange({
      seq: index + 1,
      caseId: "usage/like-costs",
      label,
      endpoint: "usage",
      path: "/v1/usage?from=2026-11-20T00:00:00Z&to=2026-11-22T00:00:00Z",
      received: { object: "list", data: [], aggregate: { total_tokens, total_cost_usd } },
    }),
  );
}

const after = (group: string): string => costLabels.after(group).label(1);
const before = [costLabels.before, 100, 0.010001] as const;
const alone = [after(costGroups.alone), 200, 0.011001] as const;
const verdicts = (...totals: readonly Total[]): readonly string[] =>
  printJudge(likeCosts, reports(totals), { exclusive: true }).map((line) => line.split(":")[0]?.split(" #")[0] ?? "");

describe("like-costs (USG-044)", () => {
  it("lets like answers cost alike, and batches and streams a discount of three quarters", () => {
    expect(verdicts(before, alone, [after(costGroups.together), 400, 0.013])).toEqual(["USG-044 pass"]);
    expect(verdicts(before, alone, [after(costGroups.streamed), 300, 0.01126])).toEqual(["USG-044 pass"]);
  });

  it.each([0.011, 0.0112, 0.016])("fails for streams after which the account stands at %d dollars", (costUsd) => {
    expect(verdicts(before, alone, [after(costGroups.streamed), 300, costUsd])).toEqual(["USG-044 fail"]);
  });

  it("fails where half of the answers in company cost nothing", () => {
    expect(verdicts(before, alone, [after(costGroups.together), 400, 0.012])).toEqual(["USG-044 fail"]);
  });

  it("says nothing of costs that the report rounds away, or where all is free", () => {
    expect(
      verdicts([costLabels.before, 100, 0.01], [after(costGroups.alone), 200, 0.02], [after(costGroups.streamed), 300, 0.02]),
    ).toEqual([]);
    expect(verdicts(before, [after(costGroups.alone), 200, 0.01], [after(costGroups.streamed), 300, 0.01])).toEqual([]);
  });
});
