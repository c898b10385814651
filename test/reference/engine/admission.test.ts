import { describe, expect, it } from "vitest";
import { count, createBench, describeAdmission, imageWork, leaseOf, modelsWork, refusalOf, startMs } from "./engine-bench.ts";

describe("identification", () => {
  const bench = createBench();
  const statusOf = (header: string | undefined): string => {
    const answer = bench.engine.identify(header);
    return answer.kind === "known" ? answer.key.name : `${answer.refusal.status} ${answer.refusal.code}`;
  };

  it.each(["primary", "secondary", "sandbox", "sandboxSecondary", "readOnly"])("knows %s", (name) => {
    expect(statusOf(`Bearer ${bench.key(name).secret}`)).toBe(name);
  });

  it("has keys of both prefix families among the fixtures", () => {
    const prefixes = new Set(bench.engine.keys.list().map(({ secret }) => /^[a-z]+_[a-z]+_/.exec(secret)?.[0]));
    expect(prefixes).toEqual(new Set(["nim_live_", "nim_test_", "sk_live_", "sk_test_"]));
  });

  it("refuses absent, malformed and dead credentials with 401", () => {
    const { secret } = bench.key("primary");
    expect(statusOf(undefined)).toBe("401 missing_api_key");
    for (const header of [
      secret,
      `Bearer${secret}`,
      `Bearer  ${secret}`,
      `bearer ${secret}`,
      `Basic ${secret}`,
      "Bearer ",
      `Bearer ${secret} x`,
    ]) {
      expect(statusOf(header)).toBe("401 malformed_authorization");
    }
    expect(statusOf(`Bearer ${secret}x`)).toBe("401 invalid_api_key");
    expect(statusOf(`Bearer ${secret.toUpperCase()}`)).toBe("401 invalid_api_key");
    expect(statusOf(`Bearer ${bench.key("expired").secret}`)).toBe("401 expired_api_key");
    expect(statusOf(`Bearer ${bench.key("revoked").secret}`)).toBe("401 invalid_api_key");
    expect(statusOf(`Bearer ${bench.key("rotated").secret}`)).toBe("401 invalid_api_key");
  });

  it("lets a new key in exactly 60 s after its creation", async () => {
    const { engine, clock, key } = createBench();
    const header = `Bearer ${key("fresh").secret}`;
    await clock.advance(59_999);
    expect(engine.identify(header).kind).toBe("refused");
    await clock.advance(1);
    expect(engine.identify(header).kind).toBe("known");
  });

  it("expires a key at its instant", async () => {
    const { engine, clock, key } = createBench();
    engine.keys.put({ ...key("primary"), expiresAtMs: startMs + 1000 });
    await clock.advance(999);
    expect(engine.identify(`Bearer ${key("primary").secret}`).kind).toBe("known");
    await clock.advance(1);
    expect(engine.identify(`Bearer ${key("primary").secret}`).kind).toBe("refused");
  });
});

describe("authorization", () => {
  const { engine, key } = createBench();

  it("asks for payment before scope", () => {
    expect(engine.authorize(key("pastDue"), "models")?.status).toBe(402);
    expect(engine.authorize(key("noCredit"), "key-settings")?.status).toBe(402);
  });

  it.each([
    ["primary", "chat", null],
    ["primary", "key-settings", 403],
    ["primary", "agents", 403],
    ["readOnly", "models", null],
    ["readOnly", "usage", null],
    ["readOnly", "chat", 403],
    ["readOnly", "account-settings", 403],
    ["agentWrite", "agents", null],
    ["agentWrite", "key-settings", 403],
    ["admin", "agents", null],
    ["admin", "account-settings", null],
  ] as const)("%s on %s: %s", (name, endpoint, status) => {
    expect(engine.authorize(key(name), endpoint)?.status ?? null).toBe(status);
  });
});

describe("request limit", () => {
  it("admits exactly the limit, counts down, and refuses with an exact wait", async () => {
    const bench = createBench([], {}, startMs + 12_345);
    const remaining: string[] = [];
    for (let index = 0; index < 5; index += 1) {
      remaining.push(leaseOf(await bench.send("lowLimit")).rateHeaders()["x-ratelimit-remaining-requests"]!);
    }
    expect(remaining).toEqual(["4", "3", "2", "1", "0"]);
    const refused = await bench.send("lowLimit");
    expect(refusalOf(refused)).toMatchObject({
      status: 429,
      cause: "requests",
      headers: { "retry-after": "48" },
      body: { error: { code: "rate_limit_exceeded" }, "retry-after": 48 },
    });
    expect(refused).toMatchObject({
      rateHeaders: {
        "x-ratelimit-limit-requests": "5",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": String(startMs / 1000 + 60),
      },
    });
  });

  it("rolls its window over at the minute, to the millisecond", async () => {
    const bench = createBench();
    await bench.outcomes("lowLimit", 5);
    await bench.clock.advance(59_999);
    expect(await bench.outcome("lowLimit")).toBe("rate_limit_exceeded");
    await bench.clock.advance(1);
    expect(await bench.outcomes("lowLimit", 6)).toEqual(["ok", "ok", "ok", "ok", "ok", "rate_limit_exceeded"]);
  });

  it.each([
    ["starter", 60],
    ["primary", 600],
  ])("is atomic: of twice as many simultaneous requests, %s gets %i, each with its own remaining", async (name, limit) => {
    const bench = createBench();
    const admissions = await Promise.all(Array.from({ length: 2 * limit }, () => bench.send(name)));
    const shown = admissions.filter(({ kind }) => kind === "admitted").map((admission) => leaseOf(admission).rateHeaders());
    const numbers = shown.map((headers) => Number(headers["x-ratelimit-remaining-requests"])).toSorted((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: limit }, (_, index) => index));
    expect(count(admissions.map(describeAdmission), "rate_limit_exceeded")).toBe(limit);
  });

  it("keeps keys and endpoints apart", async () => {
    const bench = createBench();
    await bench.outcomes("lowLimit", 6);
    expect(await bench.outcome("lowLimit")).toBe("rate_limit_exceeded");
    expect(await bench.outcome("lowLimit", modelsWork)).toBe("ok");
    expect(await bench.outcome("lowToken")).toBe("ok");
  });

  it("shows six headers to everybody, and does not count what was not admitted", () => {
    const { engine, key } = createBench();
    const names = ["limit-requests", "limit-tokens", "remaining-requests", "remaining-tokens", "reset-requests", "reset-tokens"];
    const anonymous = engine.unadmittedHeaders(null, "chat", 401);
    expect(Object.keys(anonymous).toSorted()).toEqual(names.map((name) => `x-ratelimit-${name}`));
    expect(Object.values(anonymous).every((value) => /^\d+$/.test(value))).toBe(true);
    engine.unadmittedHeaders(key("primary"), "chat", 422);
    const again = engine.unadmittedHeaders(key("primary"), "chat", 422);
    expect(again["x-ratelimit-remaining-requests"]).toBe("600");
    expect(engine.unadmittedHeaders(key("primary"), null, 404)["x-ratelimit-limit-requests"]).toBe("600");
  });
});

describe("token limit", () => {
  it("holds the worst case, settles on the truth, refuses what does not fit", async () => {
    const bench = createBench();
    const remaining = async (): Promise<string> =>
      leaseOf(await bench.send("lowToken", { promptTokens: 0, maxCompletionTokens: 0 })).rateHeaders()[
        "x-ratelimit-remaining-tokens"
      ]!;
    const ticket = leaseOf(await bench.send("lowToken", { promptTokens: 100, maxCompletionTokens: 300 }, false));
    expect(ticket.rateHeaders()["x-ratelimit-remaining-tokens"]).toBe("200");
    const refusal = refusalOf(await bench.send("lowToken", { promptTokens: 100, maxCompletionTokens: 101 }));
    expect(refusal).toMatchObject({
      status: 429,
      cause: "tokens",
      body: { error: { code: "token_limit_exceeded" }, "retry-after": 60 },
    });
    ticket.settle({ ended: "completed", promptTokens: 100, completionTokens: 50, costMicros: 600 });
    ticket.settle({ ended: "completed", promptTokens: 100, completionTokens: 50, costMicros: 600 });
    expect(ticket.rateHeaders()["x-ratelimit-remaining-tokens"]).toBe("450");
    expect(await remaining()).toBe("450");
  });

  it("lets a request larger than the whole limit in only when nothing is used", async () => {
    const bench = createBench();
    const huge = { promptTokens: 5000, maxCompletionTokens: 5000 };
    expect(await bench.outcome("lowToken", huge)).toBe("ok");
    expect(await bench.outcome("lowToken", huge)).toBe("token_limit_exceeded");
    expect(await bench.outcome("lowToken", modelsWork)).toBe("ok");
  });

  it("returns the hold of a failed request and bills nothing", async () => {
    const bench = createBench();
    const ticket = leaseOf(await bench.send("lowToken", {}, false));
    ticket.settle({ ended: "failed", promptTokens: 10, completionTokens: 0, costMicros: 180 });
    expect(ticket.rateHeaders()["x-ratelimit-remaining-tokens"]).toBe("600");
    const report = bench.engine.usageReport(bench.key("lowToken"), { fromMs: startMs, toMs: startMs + 1 });
    expect(report.aggregate).toEqual({ total_tokens: 0, total_cost_usd: 0 });
  });
});

describe("order of the limits", () => {
  it("names the cooldown first, then requests, tokens, key cap, account cap", async () => {
    const bench = createBench();
    const admin = bench.key("admin");
    const key = { ...bench.key("reject"), limits: { requestsPerWindow: 5, tokensPerWindow: 150 } };
    bench.engine.keys.put({ ...key, settings: { monthly_spend_cap: 0, burst_limit: 5, cooldown_seconds: 3 } });
    bench.engine.changeAccount(admin, { account_spend_cap: 0 });
    expect(await bench.outcome("reject")).toBe("quota_exceeded");
    expect(refusalOf(await bench.send("reject")).cause).toBe("key-cap");
    bench.set("reject", { monthly_spend_cap: null });
    expect(refusalOf(await bench.send("reject")).cause).toBe("account-cap");
    bench.engine.changeAccount(admin, { account_spend_cap: null });
    expect(await bench.outcomes("reject", 5)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
    bench.set("reject", { monthly_spend_cap: 0 });
    expect(refusalOf(await bench.send("reject")).cause).toBe("cooldown");
    await bench.clock.advance(3000);
    expect(refusalOf(await bench.send("reject")).cause).toBe("requests");
    bench.engine.keys.put({ ...bench.key("reject"), limits: { requestsPerWindow: 50, tokensPerWindow: 150 } });
    expect(refusalOf(await bench.send("reject")).cause).toBe("tokens");
    expect(refusalOf(await bench.send("reject", { ...imageWork })).cause).toBe("key-cap");
  });

  it("takes nothing anywhere when one limit refuses", async () => {
    const bench = createBench();
    bench.set("reject", { monthly_spend_cap: 0 });
    await bench.outcomes("reject", 20);
    const headers = bench.engine.unadmittedHeaders(bench.key("reject"), "chat", 404);
    expect(headers["x-ratelimit-remaining-requests"]).toBe("600");
    expect(headers["x-ratelimit-remaining-tokens"]).toBe("1000000");
    bench.set("reject", { monthly_spend_cap: null });
    expect(await bench.outcomes("reject", 5)).toEqual(["ok", "ok", "ok", "ok", "ok"]);
  });
});

describe("journal", () => {
  it("keeps the newest decisions with their counters, in order", async () => {
    const bench = createBench([], { journalCapacity: 8 });
    await bench.outcomes("lowLimit", 8);
    const entries = bench.engine.journal.entries();
    expect(entries).toHaveLength(8);
    expect(entries.map(({ seq }) => seq)).toEqual(Array.from({ length: 8 }, (_, index) => entries[0]!.seq + index));
    expect(
      count(
        entries.map(({ event }) => event),
        "settled",
      ),
    ).toBe(5);
    expect(entries.find(({ event }) => event === "refused")).toMatchObject({ key: "lowLimit", code: "rate_limit_exceeded" });
    expect(entries.at(-1)?.spentMicros).toBe(900);
    expect(JSON.stringify(entries)).not.toContain(bench.key("lowLimit").secret);
  });
});
