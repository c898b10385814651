import { describe, expect, it } from "vitest";
import { opsOf, type LimitOp } from "../../../src/limits/history/op.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { checkTokenLimit } from "../../../src/limits/tokens/check-token-limit.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { manifestFor } from "../../make/load/load-target.ts";

/** Eight prompts of 2,000 tokens in one window of 4,000, of which a cache held this many. */
function exhaust(cachedTokens: number | null, resetMs: (index: number) => number): readonly LimitOp[] {
  return Array.from({ length: 8 }, (_, index) =>
    makeLimitOp(index + 1, 6000 * index, 6000 * index + 20, {
      policy: "tokens",
      phase: "exhaust",
      endpoint: "chat",
      tokens: { limit: 4000, remaining: null, resetMs: resetMs(index), resetFormat: "unix-seconds" },
      usedTokens: 2000,
      promptTokens: 1990,
      cachedTokens,
    }),
  );
}

describe("the token limit and prompts that a cache held", () => {
  const verdict = (ops: readonly LimitOp[]): string =>
    checkTokenLimit(opsOf(ops, "tokens"), tolerancesFor(manifestFor("http://127.0.0.1:9", {}))).verdict;

  it.each([
    ["of one window", () => 60_000],
    ["of windows that are not known", (index: number) => 60_000 + index],
  ] as const)("accuse no service that charges for the rest alone: requests %s", (_name, resetMs) => {
    expect(verdict(exhaust(null, resetMs))).toBe("fail");
    expect(verdict(exhaust(1900, resetMs))).toBe("inconclusive");
  });
});
