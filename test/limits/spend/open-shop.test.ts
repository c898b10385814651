import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { isJsonObject } from "../../../src/core/exchange/bodies/recorded-json.ts";
import { createProbeTools } from "../../../src/limits/probe/probe-tools.ts";
import { openShop, type Shop } from "../../../src/limits/spend/open-shop.ts";
import { type AccountPolicies, serveAccount } from "../simulation/account-service.ts";
import { accusationsIn, examine } from "../simulation/exam.ts";
import { accountManifest, lawfulAccounts } from "../simulation/lawful-accounts.ts";
import { createSimulation, type SimResponse, type SimService } from "../simulation/simulator.ts";

const seed = 5;
const base = accountManifest("spend");
/** A fifth of a cent for a picture: ten purchases cost two cents. */
const manifest = { ...base, prices: { ...base.prices, perImage: 0.002 } };
const policies: AccountPolicies = lawfulAccounts.find(({ kind }) => kind === "spend")!.create(seed);
const account = { ...policies, propagationMs: 0, spend: { ...policies.spend!, imageCents: 0.2 } };

/** An account that serves one picture in a request, and answers some requests otherwise; `served`: purchases so far. */
function onePicture(otherwise: (endpoint: string | null, served: number) => SimResponse | null): SimService {
  const serve = serveAccount(account);
  let served = 0;
  return (context) => {
    const { body, endpoint } = context.request;
    const pictures = body?.kind === "json" && isJsonObject(body.value) ? Number(body.value["n"] ?? 1) : 1;
    if (endpoint === "images" && pictures > 1)
      return context.reply({ status: 422, headers: {}, body: { error: { code: "validation_error", details: [] } } });
    const other = otherwise(endpoint, served);
    if (other !== null) return context.reply(other);
    if (endpoint === "images") served += 1;
    serve(context);
  };
}

async function open(service: SimService): Promise<{ readonly shop: Shop | null; readonly notes: readonly string[] }> {
  const notes: string[] = [];
  const { sender, clock } = createSimulation(seed, service);
  const tools = createProbeTools(
    {
      manifest,
      sender,
      clock,
      random: createRandom(seed),
      exam: "short",
      onProgress: (progress) => void (progress.kind === "note" && notes.push(progress.text)),
      signal: new AbortController().signal,
      journal: { record: () => undefined, complete: () => undefined },
    },
    { windowMs: 60_000, phases: 1, longestMinutes: null },
  );
  return { shop: await openShop(tools, { key: "spendA", twin: "spendB" }), notes };
}

const failure: SimResponse = { status: 500, headers: {}, body: { error: { code: "internal_error" } } };

describe("the price of a purchase", () => {
  it("counts those that were served, and not those that failed", async () => {
    let failures = 0;
    // Both attempts of the fourth purchase fail.
    const { shop } = await open(
      onePicture((endpoint, served) => (endpoint === "images" && served === 3 && (failures += 1) <= 2 ? failure : null)),
    );
    expect(failures).toBeGreaterThan(2);
    expect(shop?.price).toBeCloseTo(0.2, 6);
  });

  it.each([
    ["the usage report could not be read", (endpoint: string | null) => (endpoint === "usage" ? failure : null)],
    [
      "none of 10 purchases was served: the first was answered 500",
      (endpoint: string | null) => (endpoint === "images" ? failure : null),
    ],
    [
      "the usage report did not grow by 10 purchases",
      (endpoint: string | null) =>
        endpoint === "usage"
          ? { status: 200, headers: {}, body: { object: "list", data: [], aggregate: { total_tokens: 0, total_cost_usd: 1 } } }
          : null,
    ],
  ] as const)("is not known for one reason, which is said: %s", async (reason, otherwise) => {
    const { shop, notes } = await open(onePicture(otherwise));
    expect([shop, notes.at(-1)]).toEqual([null, expect.stringContaining(reason)]);
  });

  it("is not that of a purchase which another limit refuses more than once", async () => {
    let refused = 0;
    const headers = { "x-ratelimit-limit-requests": "2", "x-ratelimit-remaining-requests": "0", "retry-after": "1" };
    const refusal = { status: 429, headers, body: { error: { code: "rate_limit_exceeded" }, "retry-after": 1 } };
    const { shop } = await open(
      onePicture((endpoint, served) => (endpoint === "images" && served === 12 && (refused += 1) <= 2 ? refusal : null)),
    );
    for (let count = 0; count < 3; count += 1) expect((await shop!.buy("spendA", "capped")).outcome).toBe("admitted");
    expect(refused).toBeGreaterThan(2);
  });
});

describe("a refusal of a cap that prints no remaining requests", () => {
  const printing = (change: (body: Readonly<Record<string, unknown>>) => unknown): SimService => {
    const serve = serveAccount(account);
    return (context) =>
      serve({
        ...context,
        now: () => context.now(),
        later: (ms, next) => context.later(ms, next),
        reply: (response, ms) => {
          const { body } = response;
          if (!isJsonObject(body) || body["error"] !== "quota_exceeded") return context.reply(response, ms);
          const headers = { ...response.headers, "x-ratelimit-remaining-requests": "0" };
          return context.reply({ ...response, headers, body: change(body) }, ms);
        },
      });
  };

  it("is judged as the cap's", async () => {
    const lawful = await examine({ seed, service: printing((body) => body), manifest });
    const shape = lawful.result.policies.flatMap(({ checks }) => checks).find(({ id }) => id === "spend.refusal-shape");
    expect([shape?.verdict, accusationsIn(lawful)]).toEqual(["pass", []]);
    const { findings } = await examine({ seed, service: printing(({ retry_after_ms: _wait, ...rest }) => rest), manifest });
    expect(findings.map(({ check }) => check)).toContain("spend.refusal-shape");
  });
});
