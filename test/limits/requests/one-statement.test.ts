import { describe, expect, it } from "vitest";
import { examineSwitch } from "../sockets/examine-switch.ts";

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
