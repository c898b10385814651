import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/exchange/bodies/recorded-json.ts";
import type { Check } from "../../../src/limits/verdict/check.ts";
import { cheapPhasesOf, cheapWords } from "../../../src/limits/spend/cheap-kinds.ts";
import { serveAccount, type AccountPolicies } from "../simulation/account-service.ts";
import { accusationsIn, examine } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";
import type { SimService } from "../simulation/simulator.ts";
import { cycles, lawfulSpends, type LawfulSpend, type Opening, type SpendAccount } from "../simulation/spend-accounts.ts";

const manifest = accountManifest("spend");
const account = lawfulAccounts.find(({ kind }) => kind === "spend");
const fresh: Opening = { key: "spendA", keyCents: 0, othersCents: 0, atMs: Date.UTC(2025, 10, 12) };

interface Tried {
  readonly way?: LawfulSpend;
  readonly opening?: Opening;
  readonly change?: (own: SpendAccount) => Partial<SpendAccount>;
  readonly textCents?: number;
  readonly through?: (serve: SimService) => SimService;
}

async function examineText(
  tried: Tried,
): Promise<{ readonly accusations: readonly string[]; readonly check: Pick<Check, "verdict" | "message"> }> {
  const { way = lawfulSpends[0]!, opening = fresh, change = () => ({}), textCents = 0.25, through = (serve) => serve } = tried;
  const own = way.create(opening, cycles[0]!);
  const spend = { way, account: { ...own, ...change(own) }, imageCents: 4, textCents };
  const policies: AccountPolicies = { ...account!.create(3), propagationMs: 0, spend };
  const judged = await examine({ seed: 3, service: through(serveAccount(policies)), manifest });
  const caps = judged.result.policies.find(({ kind }) => kind === "key-cap");
  const check = caps?.checks.find(({ id }) => id === "spend.sum-unlike-report");
  return { accusations: accusationsIn(judged), check: { verdict: check?.verdict ?? "untested", message: check?.message ?? "" } };
}

/** A cap counts something else of each cost than the report shows. */
function counting(counted: (cents: number) => number): NonNullable<Tried["change"]> {
  return (own) => {
    const uncounted = new Map<string, number>();
    return {
      settle: (nowMs, key, cents) => {
        own.settle(nowMs, key, cents);
        uncounted.set(key, (uncounted.get(key) ?? 0) + cents - counted(cents));
      },
      admit: (nowMs, key, price, caps) =>
        own.admit(nowMs, key, price, { ...caps, key: caps.key === null ? null : caps.key + (uncounted.get(key) ?? 0) }),
    };
  };
}

describe("a cap counts what the usage report shows", () => {
  it("a prompt costs a quarter of a cent by the manifest, within bounds", () => {
    const of = (perMillionPromptTokens: number): number => cheapWords({ prices: { ...manifest.prices, perMillionPromptTokens } });
    expect([2, 1, 0.15, 100, 0].map(of)).toEqual([1250, 2500, 3000, 50, 3000]);
    expect(cheapPhasesOf({ models: { chat: "c", embedding: null, transcription: null } })).toEqual([
      "cheap-chat",
      "cheap-stream",
    ]);
  });

  it.each(lawfulSpends)("$id: judged, and not accused", async (way) => {
    const { accusations, check } = await examineText({ way });
    expect(accusations).toEqual([]);
    // A report in whole cents does not show what was spent before to a fraction.
    expect([way.id, check.verdict]).toEqual([
      way.id,
      /report (in whole cents|rounded down)|each charge rounded up/.test(way.id) ? "inconclusive" : "pass",
    ]);
  });

  it.each([0.01, 0.04, 0.13, 0.4, 1, 2.7])("texts of %f cents accuse nobody", async (textCents) => {
    for (const way of lawfulSpends) expect([way.id, (await examineText({ way, textCents })).accusations]).toEqual([way.id, []]);
  });

  it("earlier spend of the key and of others accuses nobody", async () => {
    for (const [keyCents, othersCents] of [
      [37.5, 0],
      [0, 2500],
      [12.3, 45.6],
    ] as const) {
      const { accusations } = await examineText({ opening: { ...fresh, keyCents, othersCents } });
      expect(accusations).toEqual([]);
    }
  });

  it("somebody else of the account who buys meanwhile is no violation, and nothing is concluded", async () => {
    let foreign = 0;
    const { accusations, check } = await examineText({
      change: (own) => ({ reportedCents: (fromMs, toMs) => own.reportedCents(fromMs, toMs) + foreign }),
      through: (serve) => (context) => {
        if (context.request.endpoint === "chat") foreign += 0.4 * context.random.next();
        serve(context);
      },
    });
    expect(accusations.filter((one) => one.startsWith("spend.sum-unlike-report"))).toEqual([]);
    expect(check.verdict).toBe("inconclusive");
  });

  it.each([
    ["cut to whole cents", counting(Math.floor)],
    ["rounded to whole cents", counting(Math.round)],
    ["rounded up to whole cents", counting((cents) => Math.ceil(cents - 1e-9))],
    ["counted twice below a cent", counting((cents) => (cents < 1 ? 2 * cents : cents))],
    ["not counted below a cent", counting((cents) => (cents < 1 ? 0 : cents))],
  ])("costs that are %s are found", async (_, change) => {
    const { check } = await examineText({ change });
    expect(check.verdict).toBe("fail");
  });

  it("what others of the account spent before hides no cost that counts twice, and accuses nobody", async () => {
    const opening = { ...fresh, othersCents: 2500 };
    for (const way of lawfulSpends) expect([way.id, (await examineText({ way, opening })).accusations]).toEqual([way.id, []]);
    const twice = await examineText({ opening, change: counting((cents) => (cents < 1 ? 3 * cents : cents)) });
    expect(twice.check.verdict).toBe("fail");
  });

  it("a cap of zero that means no cap bounds nothing of what was spent", async () => {
    const { accusations } = await examineText({
      opening: { ...fresh, keyCents: 37.5 },
      change: (own) => ({
        admit: (nowMs, key, price, caps) => own.admit(nowMs, key, price, caps.key === 0 ? { ...caps, key: null } : caps),
      }),
    });
    expect(accusations).toEqual([]);
  });

  it("a change of the account that lifts the caps of its keys is found", async () => {
    let isLifted = false;
    const { accusations } = await examineText({
      change: (own) => ({
        admit: (nowMs, key, price, caps) => own.admit(nowMs, key, price, isLifted ? { ...caps, key: null } : caps),
      }),
      through: (serve) => (context) => {
        const { method, path } = context.request;
        if (method === "PATCH") isLifted = path === "/v1/account";
        serve(context);
      },
    });
    expect(accusations.filter((one) => one.startsWith("spend.admitted-at-cap"))).not.toEqual([]);
  });

  it("a stream that counts twice is found", async () => {
    let streamed = 0;
    const { check } = await examineText({
      change: (own) => ({
        admit: (nowMs, key, price, caps) =>
          own.admit(nowMs, key, price, { ...caps, key: caps.key === null ? null : caps.key - streamed * 0.25 }),
      }),
      through: (serve) => (context) => {
        const { body } = context.request;
        if (body?.kind === "json" && isJsonObject(body.value) && body.value["stream"] === true) streamed += 1;
        serve(context);
      },
    });
    expect(check.verdict).toBe("fail");
  });
});
