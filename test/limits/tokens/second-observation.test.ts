import { describe, expect, it } from "vitest";
import { limitPolicies } from "../../../src/core/result/checks/limit-policies.ts";
import { judgeLimits } from "../../../src/limits/exam/judge-limits.ts";
import { readOp } from "../../../src/limits/history/history.ts";
import { runExam } from "../../make/run-exam.ts";
import { isWhole, sampleTitle, testRandom } from "../../make/runner/sample.ts";
import { serveAccount } from "../simulation/account-service.ts";
import { disturbances } from "../simulation/disturbances.ts";
import { accountManifest, type LawfulAccount, lawfulAccounts } from "../simulation/lawful-accounts.ts";
import { createSimulation } from "../simulation/simulator.ts";

const accounts = lawfulAccounts.filter(({ kind }) => kind === "tokens");
const windowMs = 60_000;
/** Beside the longest wait that a refusal names: streams that clients leave are the last part, and begin no wait that would end later. */
const longestWindows = 2.2;

interface Examined {
  /** Core questions that the exam left open. */
  readonly open: readonly string[];
  readonly lastedMs: number;
  /** The longest wait that a refusal named. */
  readonly promisedMs: number;
}

async function examineTokens(account: LawfulAccount, seed: number, disturbed: string): Promise<Examined> {
  const { style, network } = disturbances.find(({ id }) => id === disturbed)!;
  const manifest = accountManifest("tokens");
  const simulation = createSimulation(seed, serveAccount(account.create(seed), style), network);
  await runExam({ manifest, ...simulation }, seed, { exam: "short" });
  const { exchanges } = simulation;
  const { policies } = judgeLimits({ exchanges, manifest, strict: false }).result;
  return {
    open: policies.flatMap(({ kind, checks }) =>
      checks
        .filter(({ id, verdict }) => verdict === "inconclusive" && limitPolicies[kind].core.includes(id))
        .map(({ id, message }) => `${account.id}, seed ${seed}: ${id} ${message}`),
    ),
    lastedMs: exchanges.at(-1)!.timing.endMs - exchanges[0]!.timing.sentMs,
    promisedMs: Math.max(0, ...exchanges.map((exchange) => (readOp(exchange)?.retry?.seconds ?? 0) * 1000)),
  };
}

describe("the exam of a token limit asks until its judge has what it needs", () => {
  it.each(["none", "late read", "slow upstream"])(
    `of every lawful way to count, under %s (${sampleTitle})`,
    async (disturbed) => {
      const random = testRandom(disturbed);
      const open: string[] = [];
      for (const account of accounts) {
        const seeds = isWhole ? [1007, 2007, 3007, 4007, 5007, 6007] : [random.integer(1, 100_000)];
        if (!isWhole && random.next() > 0.4) continue;
        for (const seed of seeds) {
          const examined = await examineTokens(account, seed, disturbed);
          open.push(...examined.open);
          // A slow service takes its own time beside that of the schedule.
          if (disturbed !== "slow upstream")
            expect(examined.lastedMs, `${account.id}, seed ${seed}`).toBeLessThan(
              longestWindows * windowMs + examined.promisedMs,
            );
        }
      }
      expect(open).toEqual([]);
    },
  );

  it.each([
    ["clock window, charged at once", 2007, "none"],
    ["clock window, charged at the end", 1007, "none"],
    ["log, charged at once", 1007, "none"],
    ["bucket, next token, charged at the end", 6007, "none"],
    ["bucket, next token, charged at the end", 3007, "slow upstream"],
    // Readings after a pause, one soon after the other, were taken for those of the charge before it.
    ["bucket, next token, charged a second and a half after the end", 4007, "slow upstream"],
  ])("of %s, seed %i, under %s, which once left one open", async (id, seed, disturbed) => {
    const account = accounts.find((one) => one.id === id)!;
    expect((await examineTokens(account, seed, disturbed)).open).toEqual([]);
  });
});
