import { describe, expect, it } from "vitest";
import { refusedUsage } from "../../../../src/conformance/judges/usage/refused-usage.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { makeUsage } from "../../../make/exchanges/make-usage.ts";
import { examineReference } from "../../examine-reference.ts";
import { printJudge } from "../print-occurrences.ts";

const byBody = "usage/refused-requests";
const byLimit = "usage/refused-by-request-limit";

function report(seq: number, caseId: string, label: string, tokens: number, cost = 0): Exchange {
  return makeUsage([{ at: "2026-11-21T09:00:00Z", tokens, cost }], { caseId, label, seq, granularity: "hour" });
}

function chat(seq: number, caseId: string, tokens: number | null, status = 200): Exchange {
  const received = tokens === null ? {} : { usage: { total_tokens: tokens } };
  return makeExchange({ seq, endpoint: "chat", caseId, received, status, keyName: "lowLimit" });
}

function outcomes(exchanges: readonly Exchange[], exclusive = true): readonly string[] {
  return printJudge(refusedUsage, exchanges, { exclusive });
}

describe("what is refused (USG-042)", () => {
  const record = (tokens: number, cost = 0): readonly Exchange[] => [
    report(1, byBody, "before", 10, 1),
    chat(2, byBody, null, 422),
    report(9, byBody, "after-1", 10 + tokens, 1 + cost),
  ];

  it("adds no tokens and no cost", () => {
    expect(outcomes(record(0))).toEqual(["USG-042 pass #1 #9 #2"]);
    expect(outcomes(record(4))).toEqual([
      "USG-042 fail #1 #9 #2: a refused request adds tokens to the usage [expected no tokens and no cost more than before] [observed 4 tokens and 0.000000 dollars more]",
    ]);
    expect(outcomes(record(0, 0.002))).toEqual([
      "USG-042 fail #1 #9 #2: a refused request adds cost to the usage [expected no tokens and no cost more than before] [observed 0 tokens and 0.002000 dollars more]",
    ]);
  });

  it("is judged only where nobody else uses the account, and something was refused", () => {
    expect(outcomes(record(4), false)).toEqual([]);
    expect(outcomes([report(1, byBody, "before", 10), chat(2, byBody, 4), report(9, byBody, "after-1", 14)])).toEqual([]);
  });

  it("is kept apart from what was served meanwhile, where that says its tokens", () => {
    const served = makeExchange({
      seq: 4,
      caseId: "elsewhere",
      endpoint: "chat",
      received: { usage: { total_tokens: 3 } },
      sentMs: 150,
    });
    const silent = makeExchange({ seq: 4, caseId: "elsewhere", endpoint: "images", sentMs: 150 });
    expect(outcomes([...record(3), served])).toEqual(["USG-042 pass #1 #9 #2"]);
    expect(outcomes([...record(4), served])[0]).toContain("[expected the 3 tokens more of what was served]");
    // Not all of what was served shows yet: nothing can be said of the rest.
    expect(outcomes([...record(2), served])).toEqual([]);
    expect(outcomes([...record(4), silent])).toEqual([]);
  });
});

describe("what a limit refuses (USG-042)", () => {
  const record = (shown: number, tokens: number): readonly Exchange[] => [
    report(1, byLimit, "start", 10),
    chat(2, byLimit, 5),
    report(3, byLimit, "before", 10 + shown),
    chat(4, byLimit, null, 429),
    report(5, byLimit, "after-1", 10 + shown + tokens),
  ];

  it("is judged where the usage of its key shows in the reports", () => {
    expect(outcomes(record(5, 0))).toEqual(["USG-042 pass #3 #5 #4"]);
    expect(outcomes(record(5, 2))[0]).toContain("a request that the request limit refused adds tokens to the usage");
    expect(outcomes(record(0, 0))).toEqual([]);
  });

  const cases = ["usage/reconciles", byBody, byLimit, "usage/refused-in-cooldown"];

  it.each(["usage/report-lags", "usage/report-in-steps", "limits/gcra", "spend/all-endpoints-refused"])(
    "is billed to nobody by a lawful service: %s",
    async (variant) => {
      const { verdicts } = await examineReference({ cases, variants: [variant] });
      expect(verdicts.get("USG-042")).toBe("pass");
    },
  );

  it.each([
    ["op/limit-billed/requests/chat", "usage/report-lags"],
    ["op/limit-billed/requests/embeddings", "limits/sliding-log"],
    ["op/limit-billed/cooldown/images", "usage/report-in-steps"],
    ["op/limit-billed/cooldown/transcriptions", "settings/delayed"],
    ["op/limit-billed/key-cap/chat", "limits/token-bucket"],
    ["op/billed/402/embeddings", "usage/local-time"],
  ])("fails where it is billed: %s on %s", async (mutant, variant) => {
    const { verdicts } = await examineReference({ cases, mutants: [mutant], variants: [variant] });
    expect(verdicts.get("USG-042")).toBe("fail");
  });
});
