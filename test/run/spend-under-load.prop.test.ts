import { describe, expect, it } from "vitest";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import type { Manifest } from "../../src/core/manifest.ts";
import { createRandom } from "../../src/core/random.ts";
import type { SendRequest } from "../../src/core/exchange/send-request.ts";
import { planLoad } from "../../src/load/plan/plan-load.ts";
import { loadProfile } from "../../src/load/plan/read-profile.ts";
import { withSpendRoom } from "../../src/run/traffic/spend-room.ts";
import { watchSpend } from "../../src/limits/traffic/watch-spend.ts";
import { createMemoryJournal } from "../../src/settings/settings-journal.ts";
import type { AccountPolicies } from "../limits/simulation/account-service.ts";
import { serveAccount } from "../limits/simulation/account-service.ts";
import { disturbances, type Disturbance } from "../limits/simulation/disturbances.ts";
import { accountManifest, lawfulAccounts } from "../limits/simulation/lawful-accounts.ts";
import { createSimulation } from "../limits/simulation/simulator.ts";
import { streamedChat } from "../make/wire/wire-to.ts";

const accounts = lawfulAccounts.filter(({ kind }) => kind === "spend");
const { profile } = loadProfile("spend-cap");
const plain = disturbances[0]!;

function picture(): SendRequest {
  return {
    ...streamedChat,
    stage: "load",
    intent: { kind: "load", profile: "spend-cap", phase: "measure" },
    endpoint: "images",
    path: "/v1/images/generations",
    credential: { kind: "bearer", key: "spendA" },
    body: { kind: "json", value: { prompt: "A grey square", n: 1, size: "1024x1024", quality: "standard" } },
  };
}

interface Judged {
  readonly found: readonly string[];
  readonly passed: readonly string[];
  readonly exchanges: readonly Exchange[];
  readonly journal: ReturnType<typeof createMemoryJournal>;
}

/** The preparation of the profile, then volleys of any size at any distance, some while others are under way, and other caps. */
async function drive(seed: number, policies: AccountPolicies, { style, network }: Disturbance): Promise<Judged> {
  const random = createRandom(seed).fork("volleys");
  const base = accountManifest("spend");
  const manifest: Manifest = { ...base, permissions: { ...base.permissions, spendUpToCents: 100_000 } };
  const { sender, clock, exchanges } = createSimulation(seed, serveAccount(policies, style), network);
  const watch = watchSpend(manifest, "spendA");
  const { onExchange } = watch;
  const journal = createMemoryJournal();
  const capOf = async (cents: number): Promise<void> =>
    onExchange(
      await sender.send({
        ...picture(),
        endpoint: "key-settings",
        method: "PATCH",
        path: "/v1/keys/spendA",
        credential: { kind: "bearer", key: "spendAdmin" },
        body: { kind: "json", value: { monthly_spend_cap: cents } },
      }),
    );
  const volley = async (size: number, afterMs: number): Promise<void> => {
    await clock.sleep(afterMs);
    const answers = await sender.burst(Array.from({ length: size }, picture));
    for (const exchange of answers) onExchange(exchange);
  };
  const tools = {
    profile,
    manifest,
    plan: planLoad({ profile, manifest, seed }),
    sender,
    clock,
    journal,
    onProgress: () => undefined,
    onExchange,
    signal: new AbortController().signal,
  };
  const run = async (): Promise<null> => {
    for (let round = 0; round < 8; round += 1) {
      const sizes = Array.from({ length: random.integer(1, 3) }, () => [1, 1, 2, 16][random.integer(0, 3)]!);
      await Promise.all(sizes.map((size) => volley(size, random.next() * [5, 50, 4000][random.integer(0, 2)]!)));
      if (random.next() < 0.3) await capOf(random.integer(1, 4000));
      if (random.next() < 0.7) await clock.sleep(random.next() * 9000);
    }
    return null;
  };
  // A target that loses the answer about the price is not driven.
  await withSpendRoom(tools, run).catch((error: unknown) => {
    if (!(error instanceof RangeError)) throw error;
  });
  const checks = watch.finish()?.result.policies.flatMap((policy) => policy.checks) ?? [];
  return {
    found: checks.filter(({ verdict }) => verdict === "fail").map(({ id, message }) => `${id}: ${message}`),
    passed: checks.filter(({ verdict }) => verdict === "pass").map(({ id }) => id),
    exchanges,
    journal,
  };
}

const rounds = Number(process.env["SPEND_ROUNDS"] ?? 2);

describe("a spend cap that is held is never accused under load", () => {
  it.each(disturbances)("under $id", async (disturbance) => {
    const passed = new Set<string>();
    for (const [index, account] of accounts.entries()) {
      for (let round = 0; round < rounds; round += 1) {
        const seed = 1000 * round + 17 * (index + 1);
        const judged = await drive(seed, account.create(seed), disturbance);
        expect(judged.found.map((reported) => `${account.id}, seed ${seed}: ${reported}`)).toEqual([]);
        for (const id of judged.passed) passed.add(id);
      }
    }
    // They judged, and were not merely silent.
    const all = [
      "spend.admitted-at-cap",
      "spend.overshoot",
      "spend.reopened",
      "spend.raise-ignored",
      "spend.refusal-shape",
      "spend.cap-type-missing",
      "spend.wait-untrue",
    ];
    expect([...passed]).toEqual(expect.arrayContaining(all));
  });
});

describe("accounts that were once accused", () => {
  it.each([
    ["half more set aside, cycle that ends meanwhile", 5204],
    ["half more set aside, month from the 15th", 57_170],
  ])("%s, seed %i: what is set aside is given back after the answer", async (id, seed) => {
    const account = accounts.find((one) => one.id === id)!;
    for (const disturbance of disturbances.filter(({ style }) => (style.processingMs ?? 0) >= 400)) {
      expect((await drive(seed, account.create(seed), disturbance)).found).toEqual([]);
    }
  });
});

describe("the same accounts with one mistake", () => {
  const spendOf = (policies: AccountPolicies): NonNullable<AccountPolicies["spend"]> => policies.spend!;
  const account = (id: string, seed: number): AccountPolicies =>
    accounts.find((one) => one.id === `${id}, calendar month`)!.create(seed);
  const mistakes: readonly (readonly [string, (seed: number) => AccountPolicies])[] = [
    [
      "spend.overshoot",
      // Checked before the work and charged after it, with as many at work as there are.
      (seed) => {
        const policies = account("one at a time, charged at the end", seed);
        const spend = spendOf(policies);
        return { ...policies, spend: { ...spend, way: { ...spend.way, oneAtATime: false } } };
      },
    ],
    [
      "spend.admitted-at-cap",
      (seed) => {
        const policies = account("crossing request let in", seed);
        const spend = spendOf(policies);
        return { ...policies, spend: { ...spend, account: { ...spend.account, admit: () => true } } };
      },
    ],
    [
      "spend.reopened",
      // Every fifth question is answered by an instance that knows of no spend.
      (seed) => {
        const policies = account("crossing request let in", seed);
        const spend = spendOf(policies);
        let asked = 0;
        const admit: typeof spend.account.admit = (...what) => spend.account.admit(...what) || (asked += 1) % 5 === 0;
        return { ...policies, spend: { ...spend, account: { ...spend.account, admit } } };
      },
    ],
    [
      "spend.raise-ignored",
      // The smallest cap that was ever set stays in force.
      (seed) => {
        const policies = account("crossing request let in", seed);
        const spend = spendOf(policies);
        let least = Number.POSITIVE_INFINITY;
        const admit: typeof spend.account.admit = (now, key, cents, caps) => {
          least = Math.min(least, caps.key ?? Number.POSITIVE_INFINITY);
          return spend.account.admit(now, key, cents, { ...caps, key: Number.isFinite(least) ? least : null });
        };
        return { ...policies, spend: { ...spend, account: { ...spend.account, admit } } };
      },
    ],
  ];
  it.each(mistakes)("is accused by %s", async (check, create) => {
    const reported: string[] = [];
    for (let seed = 1; seed <= 5; seed += 1) reported.push(...(await drive(seed, create(seed), plain)).found);
    expect(reported.map((one) => one.split(":")[0])).toContain(check);
  });
});
