import { describe, expect, it } from "vitest";
import { isJsonObject } from "../../../src/core/exchange/bodies/recorded-json.ts";
import { fewerPictures, picturesOfPurchase } from "../../../src/limits/spend/pictures-of-purchase.ts";
import { purchasesTogether, roomForOne } from "../../../src/limits/spend/purchases-together.ts";
import { serveAccount, type AccountPolicies } from "../simulation/account-service.ts";
import { accusationsIn, examine } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";
import type { SimService } from "../simulation/simulator.ts";
import { cycles, lawfulSpends, type SpendAccount } from "../simulation/spend-accounts.ts";

const base = accountManifest("spend");
/** A fifth of a cent each: one picture lies below every step that a cap has. */
const manifest = { ...base, prices: { ...base.prices, perImage: 0.002 } };
const account = lawfulAccounts.find(({ kind }) => kind === "spend");

function cheap(
  seed: number,
  change: Partial<SpendAccount> | ((own: SpendAccount) => Partial<SpendAccount>) = {},
): AccountPolicies {
  const policies = account!.create(seed);
  const own = policies.spend!.account;
  const changed = { ...own, ...(typeof change === "function" ? change(own) : change) };
  return { ...policies, spend: { ...policies.spend!, account: changed, imageCents: 0.2 } };
}

/** Refuses more than so many pictures in one request. */
function bounded(most: number, serve: SimService): SimService {
  return (context) => {
    const { body, endpoint } = context.request;
    const pictures = body?.kind === "json" && isJsonObject(body.value) ? Number(body.value["n"] ?? 1) : 1;
    if (endpoint !== "images" || pictures <= most) return serve(context);
    context.reply({ status: 422, headers: {}, body: { error: { code: "validation_error", details: [] } } });
  };
}

describe("caps are examined where a picture costs a fraction of a cent", () => {
  it("asks for as many as cost two cents, and ten at most", () => {
    const of = (perImage: number): number => picturesOfPurchase({ ...base.prices, perImage });
    expect([0.12, 0.04, 0.02, 0.019, 0.01, 0.002, 0.0001, 0].map(of)).toEqual([1, 1, 1, 2, 2, 10, 10, 1]);
  });

  it("asks for fewer where so many are refused, down to one", () => {
    expect([10, 8, 5, 4, 3, 2, 1].map(fewerPictures)).toEqual([8, 4, 4, 2, 2, 1, null]);
  });

  it("buys as many together as cost two cents, twelve at most", () => {
    expect([4, 2, 1.9, 0.8, 0.2, 0.17, 0.16, 0].map(purchasesTogether)).toEqual([1, 1, 2, 3, 10, 12, null, null]);
  });

  it("leaves room for what is set aside, and for a sum in whole cents", () => {
    expect([4, 1, 0.25].map(roomForOne)).toEqual([9, 3, 1.5]);
  });

  it("accuses no lawful account, and judges its caps", async () => {
    const judged = await examine({ seed: 5, service: serveAccount(cheap(5)), manifest });
    expect(accusationsIn(judged)).toEqual([]);
    expect(judged.result.policies.map(({ kind, verdict }) => [kind, verdict])).toContainEqual(["key-cap", "pass"]);
  });

  it("finds a cap that is ignored", async () => {
    const { findings } = await examine({ seed: 5, service: serveAccount(cheap(5, { admit: () => true })), manifest });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain("spend.admitted-at-cap");
  });
});

it("a race in which the request limit refuses what the cap would have refused shows nothing of the cap", async () => {
  const serve = serveAccount(cheap(5));
  let underWay = 0;
  const service: SimService = (context) => {
    if (context.request.endpoint !== "images") return serve(context);
    underWay += 1;
    context.later(50, () => (underWay -= 1));
    if (underWay <= 2) return serve(context);
    const headers = { "x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0", "retry-after": "1" };
    context.reply({ status: 429, headers, body: { error: { code: "rate_limit_exceeded" }, "retry-after": 1 } });
  };
  const { result } = await examine({ seed: 5, service, manifest });
  const checks = result.policies.flatMap((policy) => policy.checks);
  expect(checks.find(({ id }) => id === "spend.overshoot")?.verdict).toBe("inconclusive");
});

describe("caps are examined where a whole request costs a fraction of a cent", () => {
  const ways = lawfulSpends.flatMap((way) => ([4, 1] as const).map((most) => ({ way, most })));
  it.each(ways)("$way.id, $most pictures at most, is not accused and judged whole", async ({ way, most }) => {
    const policies = account!.create(7);
    const opening = { key: "spendA", keyCents: 3.4, othersCents: 7.2, atMs: Date.UTC(2025, 10, 12) };
    const spend = { way, account: way.create(opening, cycles[0]!), imageCents: 0.2 };
    const service = bounded(most, serveAccount({ ...policies, propagationMs: 0, spend }));
    const judged = await examine({ seed: 7, service, manifest });
    expect(accusationsIn(judged)).toEqual([]);
    const caps = judged.result.policies.find(({ kind }) => kind === "key-cap");
    expect(caps?.verdict).toBe("pass");
    const judgedChecks = caps?.checks.filter(({ verdict }) => verdict === "pass").map(({ id }) => id);
    expect(judgedChecks).toEqual(expect.arrayContaining(["spend.admitted-at-cap", "spend.overshoot", "spend.raise-ignored"]));
  });

  it.each([0.17, 0.52, 0.9])("purchases of %f cents accuse nobody, whatever was spent before", async (imageCents) => {
    for (const way of lawfulSpends) {
      for (const keyCents of [3.33, 10.6]) {
        const opening = { key: "spendA", keyCents, othersCents: 0, atMs: Date.UTC(2025, 10, 12) };
        const spend = { way, account: way.create(opening, cycles[0]!), imageCents };
        const service = bounded(1, serveAccount({ ...account!.create(7), propagationMs: 0, spend }));
        const priced = { ...manifest, prices: { ...manifest.prices, perImage: imageCents / 100 } };
        const judged = await examine({ seed: 7, service, manifest: priced });
        expect([way.id, keyCents, accusationsIn(judged)]).toEqual([way.id, keyCents, []]);
      }
    }
  });

  it.each([1.55, 3.05, 4.55])(
    "a report %f s behind, which first shows a part of what was bought, gives the price",
    async (seconds) => {
      const behind = (own: SpendAccount): Partial<SpendAccount> => ({
        // It is asked until a second from now.
        reportedCents: (fromMs, toMs) => own.reportedCents(fromMs, toMs - 1000 * (1 + seconds)),
      });
      const judged = await examine({ seed: 5, service: bounded(1, serveAccount(cheap(5, behind))), manifest });
      expect(accusationsIn(judged)).toEqual([]);
      const caps = judged.result.policies.find(({ kind }) => kind === "key-cap");
      expect(caps?.summary).toContain("purchases at 0.20 cents");
    },
  );

  const defects = {
    "spend.admitted-at-cap": (own: SpendAccount): Partial<SpendAccount> => ({
      admit: (nowMs, key, price, caps) =>
        own.admit(nowMs, key, price, { ...caps, key: caps.key === null ? null : 100 * caps.key }),
    }),
    "spend.zero-ignored": (own: SpendAccount): Partial<SpendAccount> => ({
      admit: (nowMs, key, price, caps) => own.admit(nowMs, key, price, { ...caps, key: caps.key === 0 ? null : caps.key }),
    }),
    "spend.wait-untrue": (own: SpendAccount): Partial<SpendAccount> => ({
      cycleEndMs: (nowMs) => 2 * nowMs - own.cycleEndMs(nowMs) + 31 * 86_400_000,
    }),
    "spend.account-cap-ignored": (own: SpendAccount): Partial<SpendAccount> => ({
      admit: (nowMs, key, price, caps) => own.admit(nowMs, key, price, { ...caps, account: null }),
    }),
  };
  it.each(Object.entries(defects))("%s is found", async (check, defect) => {
    const { findings } = await examine({ seed: 5, service: bounded(4, serveAccount(cheap(5, defect))), manifest });
    expect(findings.map((finding) => finding.check)).toContain(check);
  });

  it("costs cut to whole cents never reach a cap: that is found", async () => {
    const cut = (own: SpendAccount): Partial<SpendAccount> => ({ settle: (nowMs, key) => own.settle(nowMs, key, 0) });
    const reported = { cents: 0 };
    const policies = cheap(5, (own) => ({
      ...cut(own),
      admit: (nowMs, key, price, caps) => {
        const isAdmitted = own.admit(nowMs, key, 0, caps);
        if (isAdmitted) reported.cents += price;
        return isAdmitted;
      },
      reportedCents: () => reported.cents,
    }));
    const { findings } = await examine({ seed: 5, service: bounded(4, serveAccount(policies)), manifest });
    expect(findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check)).toContain("spend.admitted-at-cap");
  });
});
