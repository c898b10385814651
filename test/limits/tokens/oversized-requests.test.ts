import { expect, it } from "vitest";
import type { OpOf } from "../../../src/limits/history/op.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { checkTokenRefusals } from "../../../src/limits/tokens/check-token-refusals.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

/** A large request that was served, refused with a wait of ten seconds, and refused again when that was over. */
function refusedAgain(usedTokens: number, limit: number): string | undefined {
  const tokens = { limit, remaining: 0, resetMs: null, resetFormat: null };
  const large = { policy: "tokens", maxTokens: 64, tokens } as const;
  const refused = { ...large, status: 429, outcome: "rejected", cause: "tokens" } as const;
  const ops = [
    makeLimitOp(1, 0, 20, { ...large, phase: "exhaust", usedTokens }),
    makeLimitOp(2, 100, 120, {
      ...refused,
      phase: "exhaust",
      retry: { bodySeconds: { raw: 10, waitMs: 10_000 }, seconds: 10 },
    }),
    makeLimitOp(3, 15_000, 15_020, {
      ...refused,
      phase: "returned",
      retry: { bodySeconds: { raw: 10, waitMs: 10_000 }, seconds: 10 },
    }),
  ] as unknown as readonly OpOf<"tokens">[];
  const view = { ops, others: [], offset: null, tolerances: defaultTolerances, exclusive: true };
  return checkTokenRefusals(view).find(({ id }) => id === "tokens.retry-after-too-short")?.verdict;
}

it("a wait is broken for a request that fits into the limit, and not for one of more tokens than the limit allows at all", () => {
  expect(refusedAgain(100, 1000)).toBe("fail");
  // 500 tokens and up to 64 more at a limit of 300: admitted once by a window that charges afterwards, by a bucket never again.
  expect(refusedAgain(500, 300)).toBe("inconclusive");
});
