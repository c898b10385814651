import { describe, expect, it } from "vitest";
import type { GroupView } from "../../../src/limits/history/group-view.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { checkRetryAgreement } from "../../../src/limits/requests/answers/retry-after.ts";
import { makeExchange } from "../../make/exchanges/make-exchange.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { examineSwitch, recordSwitch } from "../sockets/examine-switch.ts";

/** A lawful service may state in one place what it could state in two, and may have no window in which two readings lie. */
const lawful = [
  ["limits", ["limits/retry-after-header-only"], "limits.retry-after-disagrees", "RATE-022"],
  ["limits", ["limits/retry-after-body-only"], "limits.retry-after-disagrees", "RATE-022"],
  ["tokens", ["limits/gcra"], "tokens.left-uncounted", "RATE-043"],
] as const;

describe("a check of two statements, where a lawful service makes one", () => {
  it.each(lawful)("%s of %j: %s does not apply and leaves its row to others", async (area, variants, id, requirement) => {
    const { result, occurrences } = await examineSwitch(area, null, { variants });
    const verdicts = result.policies.flatMap(({ checks }) => checks.filter((check) => check.id === id));
    expect(verdicts.map(({ verdict }) => verdict)).toContain("not-applicable");
    expect(occurrences.filter((one) => one.requirement === requirement && one.outcome === "inconclusive")).toEqual([]);
  });

  it("is judged where both are made", async () => {
    const { result } = await examineSwitch("limits", null);
    const verdicts = result.policies.flatMap(({ checks }) => checks.filter(({ id }) => id === "limits.retry-after-disagrees"));
    expect(verdicts.map(({ verdict }) => verdict)).toContain("pass");
  });
});

describe("waits of rejections in one place", () => {
  const verdictOf = (...waits: readonly (string | null)[]): readonly string[] => {
    const rejected = waits.map((wait, seq) =>
      readOp(makeExchange({ seq, status: 429, headers: wait === null ? [] : [["retry-after", wait]] })),
    );
    const { verdict, message } = checkRetryAgreement({ rejected } as unknown as GroupView);
    return [verdict, message];
  };

  it("leave nothing to compare only where each rejection gives one that can be read", () => {
    expect(verdictOf("3", "4")).toEqual(["not-applicable", "each of 2 rejections gives its wait in one place"]);
    const open = "no rejection gave two usable waits, and 1 of 2 gave one in one place";
    expect(verdictOf("3", null)).toEqual(["inconclusive", open]);
    expect(verdictOf("3", "soon")).toEqual(["inconclusive", open]);
    expect(verdictOf()).toEqual(["inconclusive", "no request was rejected"]);
  });
});

it("a window whose reset is always written a minute ahead leaves the count of streams that were left open", async () => {
  const { exchanges, manifest } = await recordSwitch("tokens", null);
  const written = exchanges.map((exchange): Exchange => {
    const { response } = exchange;
    if (response === null) return exchange;
    const date = response.headers.find(([name]) => name.toLowerCase() === "date")?.[1] ?? "";
    const reset = String(Math.round(Date.parse(date) / 1000) + 60);
    const headers = response.headers.map(([name, value]): readonly [string, string] =>
      name.toLowerCase() === "x-ratelimit-reset-requests" ? [name, reset] : [name, value],
    );
    return { ...exchange, response: { ...response, headers } };
  });
  const { result } = judgeLimits({ exchanges: written, manifest, strict: false });
  const checks = result.policies.flatMap((policy) => policy.checks.filter(({ id }) => id === "tokens.left-uncounted"));
  expect(new Set(checks.map(({ verdict }) => verdict))).toEqual(new Set(["inconclusive"]));
});
