import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { leavingBetween } from "../../../src/limits/tokens/leaving-between.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { runExam } from "../../make/run-exam.ts";
import { serveAccount } from "../simulation/account-service.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";
import { createSimulation } from "../simulation/simulator.ts";

const windowMs = 60_000;
const ways = [
  "clock window, charged at once",
  "window from the first, estimate, corrected at the end",
  "log, charged at the end",
  "bucket, full again, charged at once",
] as const;

interface Examined {
  readonly verdict: string;
  readonly message: string;
  readonly lastedMs: number;
  readonly failed: readonly string[];
  /** Requests that allow for more tokens than the whole limit: a window that charges afterwards admits them once, a bucket never. */
  readonly oversized: number;
}

/** Words of the prompt and the most tokens of the answer. */
function mostTokens(exchange: Exchange): number {
  const words = exchange.request.body?.text?.split(" ").length ?? 0;
  return words + (readOp(exchange)?.maxTokens ?? 0);
}

async function examineLimit(id: string, limit: number, seed: number): Promise<Examined> {
  const policies = lawfulAccounts.find((one) => one.id === id)!.create(seed);
  const account = { ...policies, tokens: { ...policies.tokens!, limit } };
  const manifest = accountManifest("tokens");
  const simulation = createSimulation(seed, serveAccount(account));
  await runExam({ manifest, ...simulation }, seed, { exam: "short" });
  const { exchanges } = simulation;
  const { result, findings } = judgeLimits({ exchanges, manifest, strict: false });
  const check = result.policies.flatMap(({ checks }) => checks).find((one) => one.id === "tokens.wrong-charge");
  return {
    verdict: check?.verdict ?? "none",
    message: check?.message ?? "",
    lastedMs: exchanges.at(-1)!.timing.endMs - exchanges[0]!.timing.sentMs,
    oversized: exchanges.filter((exchange) => mostTokens(exchange) > limit).length,
    failed: findings.filter(({ verdict }) => verdict === "fail").map(({ message }) => message),
  };
}

describe("a small token limit", () => {
  it.each(ways)("of some hundred tokens is asked about with what it has room for: %s", async (id) => {
    for (const limit of [250, 400, 650]) {
      const examined = await examineLimit(id, limit, 7);
      expect([limit, examined.failed, examined.oversized]).toEqual([limit, [], 0]);
      if (id.startsWith("bucket")) continue;
      expect([limit, examined.verdict, examined.message]).toEqual([limit, "pass", expect.any(String)]);
    }
  });

  it.each(ways)("in which no charge would stand out is said to be too small, without a wait: %s", async (id) => {
    const { verdict, message, lastedMs, failed } = await examineLimit(id, 60, 7);
    expect([verdict, failed]).toEqual(["inconclusive", []]);
    expect(message).toContain("a limit of 60 tokens is too small");
    expect(lastedMs).toBeLessThan(2.5 * windowMs);
  });
});

it("a request that was charged after its end leaves a log as much later", () => {
  const tokens = { policy: "tokens", endpoint: "chat", usedTokens: 100 } as const;
  const early = makeLimitOp(1, 0, 20, { ...tokens, phase: "charge-prompt" });
  const [before, after] = [makeLimitOp(2, 61_900, 61_920), makeLimitOp(3, 62_000, 62_020)];
  expect(leavingBetween([early, before, after], before, after, { ...defaultTolerances, windowMs })).toBe(100);
});
