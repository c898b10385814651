import { describe, expect, it } from "vitest";
import { findSwitch } from "../../../src/reference/switches/switchboard.ts";
import { isWhole } from "../../make/runner/sample.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";
import { serveAccount, type AccountPolicies } from "../simulation/account-service.ts";
import { accusationsIn, examine } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";

const ways = [
  [],
  ["limits/token-bucket"],
  ["limits/burst-below-limit"],
  ["limits/sliding-log"],
  ["limits/fixed-first"],
  ["limits/batch-refill", "tokens/estimate-reconciled"],
  ["tokens/charged-after"],
].map((variants) => [variants] as const);

const pagesOf = (messages: readonly { readonly check: string | null; readonly message: string }[]): readonly string[] =>
  messages.map(({ check, message }) => `${check} ${/on (\S+):/.exec(message)?.[1]}`);

describe("embeddings are charged what they report, in the default exam of real time", () => {
  it.each(ways)("that cost nothing are reported where tokens are counted by %j", async (variants) => {
    const { findings } = await examineSwitch("tokens", findSwitch("tokens/embeddings-free"), { time: "blind", variants });
    expect(pagesOf(findings)).toEqual(["tokens.wrong-charge /v1/embeddings"]);
  });

  it.each(ways)("are judged by themselves, and %j is not accused", async (variants) => {
    const { findings, result } = await examineSwitch("tokens", null, { time: "blind", variants });
    expect(findings).toEqual([]);
    const policies = result.policies.map(({ id, verdict }) => [id, verdict]);
    expect(policies).toEqual([
      ["tokens/examTokens/chat", "pass"],
      ["tokens/examTokens/embeddings", "pass"],
    ]);
  });

  it("take six requests and ten seconds at most", async () => {
    const spent = [];
    for (const embedding of [null, "reference-embedding"]) {
      const { result } = await examineSwitch("tokens", null, {
        time: "blind",
        declare: (manifest) => ({ ...manifest, models: { ...manifest.models, embedding } }),
      });
      spent.push(result.spent);
    }
    const [without, whole] = spent;
    expect(whole!.requests - without!.requests).toBe(6);
    expect(whole!.minutes - without!.minutes).toBeLessThan(1 / 6);
  });
});

describe("what embeddings show may be the tokens of chat", () => {
  const accounts = lawfulAccounts.filter(({ kind }) => kind === "tokens");
  const examined = (
    tokens: NonNullable<AccountPolicies["tokens"]>,
    base: AccountPolicies,
    seed: number,
  ): ReturnType<typeof examine> =>
    examine({ seed, service: serveAccount({ ...base, tokens }), manifest: accountManifest("tokens") });

  it.each(["with-chat", "uncounted"] as const)("%s: nothing is said of them", async (embeddings) => {
    let judged = 0;
    for (const [index, account] of accounts.entries()) {
      for (let seed = 1; seed <= (isWhole ? 12 : 1); seed += 1) {
        const base = account.create(41 * seed + index);
        const judgement = await examined({ ...base.tokens!, embeddings }, base, 41 * seed + index);
        expect(accusationsIn(judgement).map((reported) => `${account.id}: ${reported}`)).toEqual([]);
        expect(judgement.result.policies.map(({ endpoint }) => endpoint)).toEqual(["chat"]);
        judged += 1;
      }
    }
    expect(judged).toBeGreaterThanOrEqual(accounts.length);
  });

  it("own: most ways to count show it, and none is accused", async () => {
    let judged = 0;
    let all = 0;
    for (const [index, account] of accounts.entries()) {
      for (let seed = 1; seed <= (isWhole ? 12 : 1); seed += 1) {
        const base = account.create(43 * seed + index);
        const judgement = await examined({ ...base.tokens!, embeddings: "own" }, base, 43 * seed + index);
        expect(accusationsIn(judgement).map((reported) => `${account.id}: ${reported}`)).toEqual([]);
        all += 1;
        judged += judgement.result.policies.some(({ endpoint, verdict }) => endpoint === "embeddings" && verdict === "pass")
          ? 1
          : 0;
      }
    }
    expect(judged / all).toBeGreaterThan(0.5);
  });
});
