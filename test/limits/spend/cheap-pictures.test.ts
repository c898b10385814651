import { describe, expect, it } from "vitest";
import { serveAccount } from "../simulation/account-service.ts";
import { accusationsIn, examine } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";
import type { AccountPolicies } from "../simulation/account-service.ts";
import { picturesOfPurchase } from "../../../src/limits/spend/pictures-of-purchase.ts";

const base = accountManifest("spend");
/** A fifth of a cent each: one picture lies below every step that a cap has. */
const manifest = { ...base, prices: { ...base.prices, perImage: 0.002 } };
const account = lawfulAccounts.find(({ kind }) => kind === "spend");

function cheap(seed: number): AccountPolicies {
  const policies = account!.create(seed);
  return { ...policies, spend: { ...policies.spend!, imageCents: 0.2 } };
}

describe("caps are examined where a picture costs a fraction of a cent", () => {
  it("asks for as many as cost two cents, and ten at most", () => {
    const of = (perImage: number): number => picturesOfPurchase({ ...base.prices, perImage });
    expect([0.12, 0.04, 0.02, 0.019, 0.01, 0.002, 0.0001, 0].map(of)).toEqual([1, 1, 1, 2, 2, 10, 10, 1]);
  });

  it("accuses no lawful account, and judges its caps", async () => {
    const judged = await examine({ seed: 5, service: serveAccount(cheap(5)), manifest });
    expect(accusationsIn(judged)).toEqual([]);
    expect(judged.result.policies.map(({ kind, verdict }) => [kind, verdict])).toContainEqual(["key-cap", "pass"]);
  });

  it("finds a cap that is ignored", async () => {
    const policies = cheap(5);
    const spend = { ...policies.spend!, account: { ...policies.spend!.account, admit: () => true } };
    const { findings } = await examine({ seed: 5, service: serveAccount({ ...policies, spend }), manifest });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain("spend.admitted-at-cap");
  });
});
