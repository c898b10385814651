import { describe, expect, it } from "vitest";
import { planLimits } from "../../src/limits/exam/plan-limits.ts";
import { serveAccount } from "./simulation/account-service.ts";
import { createBurstGate, type BurstGate } from "./simulation/burst-gates.ts";
import { disturbances } from "./simulation/disturbances.ts";
import { accusationsIn, examine } from "./simulation/exam.ts";
import { accountManifest, lawfulAccounts, queueManifest, type AccountKind } from "./simulation/lawful-accounts.ts";
import { isWhole } from "../make/runner/sample.ts";

/** Checks that must have judged, not merely been silent, in an account that nothing disturbs. */
const gates: Readonly<Record<AccountKind, readonly string[]>> = {
  burst: ["burst.over-admission", "burst.under-admission", "burst.cooldown-too-long", "burst.raise-ignored"],
  tokens: ["tokens.wrong-charge"],
  spend: [
    "spend.admitted-at-cap",
    "spend.keys-share-cap",
    "spend.raise-ignored",
    "spend.refusal-shape",
    "spend.wait-untrue",
    "spend.zero-ignored",
  ],
};

const accountsOf = (kind: AccountKind): typeof lawfulAccounts => lawfulAccounts.filter((account) => account.kind === kind);

describe.each(Object.keys(gates) as AccountKind[])("accounts that keep their %s limits are never accused", (kind) => {
  it.each(disturbances.map((disturbance, place) => ({ ...disturbance, place })))(
    "under $id",
    async ({ id, place, ...disturbance }) => {
      const { style, network } = disturbance;
      let histories = 0;
      for (const [index, account] of accountsOf(kind).entries()) {
        // Undisturbed all of them; under each disturbance another tenth, so that every account meets a tenth of the disturbances.
        if (!isWhole && id !== "none" && (index + place) % 10 !== 0) continue;
        const seed = 31 * (index + 1);
        const manifest = account.id.includes(", queue") ? queueManifest() : accountManifest(kind);
        const policies = account.create(seed);
        const exam = index % 2 === 0 ? "short" : "full";
        const judged = await examine({
          seed,
          service: serveAccount(policies, style),
          network,
          manifest,
          exam,
        });
        // Pictures cost four cents by the manifest; where they cost more, as many may be bought.
        const dearer = Math.max(1, (policies.spend?.imageCents ?? 4) / 4);
        expect(judged.result.spent.cents).toBeLessThanOrEqual(dearer * (await planLimits(manifest, exam)).cents);
        expect(accusationsIn(judged).map((reported) => `${account.id} under ${id}: ${reported}`)).toEqual([]);
        histories += 1;
        if (id !== "none") continue;
        // An end of the billing cycle between two purchases leaves open what they show.
        const isJudged = ({ verdict, message }: { readonly verdict: string; readonly message: string }): boolean =>
          verdict === "pass" || (account.id.endsWith("cycle that ends meanwhile") && /a billing cycle that ended/.test(message));
        const passed = judged.result.policies.flatMap(({ checks }) => checks.filter(isJudged));
        expect(passed.map((check) => check.id)).toEqual(expect.arrayContaining([...gates[kind]]));
      }
      expect(histories).toBeGreaterThanOrEqual(isWhole || id === "none" ? 20 : 2);
    },
  );
});

describe("histories that were once accused", () => {
  const once: readonly (readonly [AccountKind, string, string, number, "short" | "full", string])[] = [
    ["burst", "clock-minute, last-served, queue", "lost answers", 18, "short", "one queued answer of seven is lost"],
    [
      "burst",
      "clock-minute, last-served, queue",
      "slow upstream",
      3003,
      "full",
      "a minute begins while requests are sent one by one",
    ],
    ["tokens", "clock window, charged a second and a half after the end", "none", 10, "short", "charges settle late"],
    ["tokens", "log, charged at once, rounded to tens", "none", 10, "short", "readings are rounded"],
    ["spend", "crossing request let in, calendar month", "none", 10, "short", "the key spent more than two days ago"],
    ["spend", "crossing request refused, cycle that ends meanwhile", "none", 12, "short", "the billing cycle ends"],
    ["spend", "crossing request let in, calendar month", "lost answers", 1004, "short", "the answer to a PATCH is lost"],
    ["spend", "report in whole cents, month from the 15th", "none", 11, "short", "the usage report is rounded"],
  ];
  it.each(once)("%s: %s under %s, seed %i, %s exam: %s", async (kind, accountId, disturbanceId, seed, exam) => {
    const { style, network } = disturbances.find(({ id }) => id === disturbanceId)!;
    const account = lawfulAccounts.find((one) => one.kind === kind && one.id === accountId)!;
    const service = serveAccount(account.create(seed), style);
    const judged = await examine({ seed, service, network, manifest: accountManifest(kind), exam });
    expect(judged.result.policies).not.toEqual([]);
    expect(accusationsIn(judged)).toEqual([]);
  });
});

describe("the same accounts with one mistake are accused", () => {
  // Each its own: a gate keeps what it has counted.
  const [first, second] = [0, 1].map(() => createBurstGate({ minute: "log", begins: "last-served", preference: "refuse" }));
  const [burst, tokens, spend] = (["burst", "tokens", "spend"] as const).map((kind) => accountsOf(kind)[0]!.create(5));
  /** One request more than the setting says, and a cooldown of half the length. */
  const generous: BurstGate = (context, key, { burst: allowed, cooldownMs }, decide) =>
    first!(context, key, { burst: allowed === null ? null : allowed + 1, cooldownMs }, decide);
  const brief: BurstGate = (context, key, { burst: allowed, cooldownMs }, decide) =>
    second!(context, key, { burst: allowed, cooldownMs: cooldownMs / 2 }, decide);
  const mistakes: readonly (readonly [string, AccountKind, Parameters<typeof serveAccount>[0]])[] = [
    ["burst.over-admission", "burst", { ...burst!, burst: generous }],
    ["burst.over-admission", "burst", { ...burst!, burst: brief }],
    [
      "tokens.wrong-charge",
      "tokens",
      {
        ...tokens!,
        tokens: {
          ...tokens!.tokens!,
          limit: 1000,
          way: {
            ...tokens!.tokens!.way,
            charges: (demand) => ({ atStart: demand.promptTokens / 2, atEnd: 0, lagMs: 0 }),
          },
        },
      },
    ],
    [
      "spend.admitted-at-cap",
      "spend",
      { ...spend!, spend: { ...spend!.spend!, imageCents: 4, account: { ...spend!.spend!.account, admit: () => true } } },
    ],
  ];
  it.each(mistakes)("by %s (%s)", async (check, kind, policies) => {
    const { findings } = await examine({ seed: 5, service: serveAccount(policies), manifest: accountManifest(kind) });
    expect(findings.filter(({ verdict }) => verdict === "fail").map((finding) => finding.check)).toContain(check);
  });
});
