import { expect, it } from "vitest";
import { accountEffect } from "../../../../src/conformance/judges/settings/account-effect.ts";
import type { Exchange } from "../../../../src/core/exchange/exchange.ts";
import { type ExchangeDraft, makeExchange } from "../../../make/exchanges/make-exchange.ts";
import { printJudge } from "../print-occurrences.ts";

const caseId = "settings/refused-account-changes";
const quota = { error: "quota_exceeded", retry_after_ms: 1000, cap_type: "account_spend" };

function made(seq: number, label: string, status: number, more: ExchangeDraft = {}): Exchange {
  return makeExchange({ seq, label, status, caseId, endpoint: "account-settings", ...more });
}

interface Round {
  readonly spentUsd?: number;
  readonly twin?: unknown;
  readonly refused?: number;
  readonly after?: readonly number[];
  readonly shown?: unknown;
}

function verdict({ spentUsd = 1, twin = {}, refused = 422, after = [200, 200], shown = {} }: Round): string {
  const report = { object: "list", data: [], aggregate: { total_tokens: 5, total_cost_usd: spentUsd } };
  const path = "/v1/usage?from=2026-11-21T00:00:00Z&to=2026-11-22T00:00:00Z";
  const record = [
    made(1, "spent", 200, { endpoint: "usage", path, received: report }),
    made(2, "twin", 200, { received: twin }),
    made(3, "refused-type", 422),
    made(4, "refused-malformed", refused),
    ...after.map((status, index) =>
      made(5 + index, `after-${index + 1}`, status, { endpoint: "chat", received: status === 429 ? quota : {} }),
    ),
    made(9, "read-back", 200, { received: shown }),
  ];
  return printJudge(accountEffect, record)
    .map((line) => line.split(" #")[0])
    .join();
}

it("reports an account that is refused, or shows the ceiling, after changes that were refused", () => {
  expect(verdict({ after: [429, 429] })).toBe("ACC-013 fail");
  expect(verdict({ after: [200, 429] })).toBe("ACC-013 fail");
  expect(verdict({ shown: { account_spend_cap: 1 } })).toBe("ACC-013 fail");
});

it("passes only where a change would have shown: by money, or by an answer that names the settings", () => {
  expect(verdict({})).toBe("ACC-013 pass");
  expect(verdict({ spentUsd: 0 })).toBe("ACC-013 observed");
  const named = { account_spend_cap: 5000 };
  expect(verdict({ spentUsd: 0, twin: named, shown: named })).toBe("ACC-013 pass");
});

it("says nothing where a change was let through that has a row of its own, or where requests meet trouble", () => {
  expect(verdict({ refused: 200 })).toBe("");
  expect(verdict({ after: [200, 503] })).toBe("");
});
