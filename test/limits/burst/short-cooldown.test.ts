import { describe, expect, it } from "vitest";
import { serveAccount } from "../simulation/account-service.ts";
import type { BurstGate } from "../simulation/burst-gates.ts";
import { examine } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";

const bursts = lawfulAccounts.filter(({ kind }) => kind === "burst");

function shortened(gate: BurstGate, byMs: number): BurstGate {
  return (context, key, settings, decide) => gate(context, key, { ...settings, cooldownMs: settings.cooldownMs - byMs }, decide);
}

async function failuresOf(account: (typeof bursts)[number], byMs: number, seed: number): Promise<readonly (string | null)[]> {
  const policies = account.create(seed);
  const service = serveAccount({ ...policies, burst: shortened(policies.burst!, byMs) });
  const { findings } = await examine({ seed, service, manifest: accountManifest("burst") });
  return findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
}

describe("a cooldown of 65 s", () => {
  it.each(bursts.map((account) => [account.id, account] as const))(
    "that ends two seconds early is proven short (%s)",
    async (_id, account) => {
      expect(await failuresOf(account, 2000, 11)).toContain("burst.over-admission");
    },
  );

  it.each(bursts.map((account) => [account.id, account] as const))(
    "of a clock of whole seconds is not (%s)",
    async (_id, account) => {
      expect(await failuresOf(account, 990, 12)).toEqual([]);
    },
  );
});
