import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { awayFor } from "../../make/wire/away-for.ts";
import { examineReference } from "../examine-reference.ts";

/** The status of the last attempt of each request. */
function lastStatuses(exchanges: readonly Exchange[]): readonly (number | null)[] {
  const byRoot = new Map(exchanges.map(({ seq, retryOf, response }) => [retryOf ?? seq, response?.status ?? null]));
  return [...byRoot.values()];
}

describe("a service that is away in the middle of a check and says for how long", () => {
  it.each([500, 502, 503, 504])("is waited for as it says for ten seconds, with status %i", async (status) => {
    const absence = awayFor({
      status,
      retryAfter: "1",
      lastsMs: 10_000,
      begins: ({ stage, caseId }) => stage === "conformance" && caseId !== "core/target-check",
    });
    const { exchanges, result } = await examineReference({ suites: ["models", "core"], through: absence.through });
    expect(absence.met()).toBeGreaterThan(10);
    // Each request is asked again until the service is back, not a fixed number of times.
    expect(lastStatuses(exchanges)).not.toContain(status);
    const wrong = result.requirements.filter(({ verdict }) => verdict === "fail" || verdict === "inconclusive");
    expect(wrong.map(({ id, verdict }) => `${id} ${verdict}`)).toEqual([]);
  });

  it("is not waited for longer than two minutes by one request", async () => {
    const absence = awayFor({
      status: 502,
      retryAfter: "7",
      lastsMs: Number.POSITIVE_INFINITY,
      begins: ({ caseId }) => caseId !== "core/target-check",
      isOf: ({ endpoint }) => endpoint === "models",
    });
    const { exchanges, result } = await examineReference({ suites: ["models"], through: absence.through });
    const sent = new Map<number, number>();
    for (const { seq, retryOf } of exchanges) sent.set(retryOf ?? seq, (sent.get(retryOf ?? seq) ?? 0) + 1);
    const most = Math.max(...sent.values());
    expect(most).toBeGreaterThan(3);
    expect(most).toBeLessThan(40);
    expect(result.requirements.some(({ verdict }) => verdict === "fail")).toBe(true);
  });
});
