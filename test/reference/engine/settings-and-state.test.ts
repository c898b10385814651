import { describe, expect, it } from "vitest";
import { createFixtures } from "../../../src/reference/engine/keys/fixtures.ts";
import { createBench, imageWork, leaseOf, refusalOf, startMs } from "./engine-bench.ts";

describe("settings", () => {
  it("changes what is sent, clears with null, keeps the rest", () => {
    const { engine, key } = createBench();
    const change = (body: object): unknown => engine.changeKey(key("admin"), key("examSettings").id, body);
    expect(change({ monthly_spend_cap: 5000, burst_limit: 10 })).toEqual({
      kind: "changed",
      settings: { monthly_spend_cap: 5000, burst_limit: 10, cooldown_seconds: null },
    });
    expect(change({ cooldown_seconds: 30 })).toMatchObject({
      settings: { monthly_spend_cap: 5000, burst_limit: 10, cooldown_seconds: 30 },
    });
    expect(change({ burst_limit: null, cooldown_seconds: undefined })).toMatchObject({
      settings: { monthly_spend_cap: 5000, burst_limit: null, cooldown_seconds: 30 },
    });
    expect(change({})).toMatchObject({ settings: { monthly_spend_cap: 5000 } });
    expect(key("examSettings").settings.monthly_spend_cap).toBe(5000);
    expect(key("examBurst").settings.monthly_spend_cap).toBeNull();
  });

  it("answers unknown and foreign ids alike", () => {
    const { engine, key } = createBench();
    const unknown = engine.changeKey(key("admin"), "key_0000000000000000", { burst_limit: 1 });
    expect(unknown).toMatchObject({ kind: "refused", refusal: { status: 404 } });
    expect(engine.changeKey(key("admin"), key("foreign").id, { burst_limit: 1 })).toEqual(unknown);
    expect(key("foreign").settings.burst_limit).toBeNull();
  });

  it("keeps an account cap that is not sent", () => {
    const { engine, key } = createBench();
    expect(engine.changeAccount(key("admin"), { account_spend_cap: 700 })).toEqual({
      kind: "changed",
      settings: { account_spend_cap: 700 },
    });
    expect(engine.changeAccount(key("admin"), {})).toEqual({ kind: "changed", settings: { account_spend_cap: 700 } });
    expect(engine.changeAccount(key("admin"), { account_spend_cap: null })).toEqual({
      kind: "changed",
      settings: { account_spend_cap: null },
    });
  });

  it("takes effect later where a variant says so", async () => {
    const bench = createBench(["settings/delayed"]);
    bench.set("examSpend", { monthly_spend_cap: 0 });
    await bench.clock.advance(799);
    expect(await bench.outcome("examSpend", imageWork)).toBe("ok");
    await bench.clock.advance(1);
    expect(await bench.outcome("examSpend", imageWork)).toBe("quota_exceeded");
  });
});

describe("fixtures", () => {
  it("are the same for a seed, secrets included, and others for another", () => {
    expect(createFixtures(5, startMs)).toEqual(createFixtures(5, startMs));
    const secrets = (seed: number): readonly string[] => createFixtures(seed, startMs).keys.map(({ secret }) => secret);
    expect(new Set([...secrets(5), ...secrets(6)]).size).toBe(2 * secrets(5).length);
  });

  it("have unique names, ids and secrets, and one for every row of the manifest", () => {
    const { keys } = createFixtures(1, startMs);
    for (const unique of [keys.map(({ id }) => id), keys.map(({ name }) => name), keys.map(({ secret }) => secret)]) {
      expect(new Set(unique).size).toBe(keys.length);
    }
    const names = keys.map(({ name }) => name);
    const manifest = [
      "primary",
      "secondary",
      "admin",
      "readOnly",
      "agentWrite",
      "expired",
      "revoked",
      "rotated",
      "pastDue",
      "noCredit",
      "exhausted",
    ];
    expect(names).toEqual(
      expect.arrayContaining([...manifest, "lowLimit", "lowToken", "queue", "reject", "fresh", "sandbox", "foreign"]),
    );
  });

  it("cannot be stored with a secret that is taken", () => {
    const { engine, key } = createBench();
    expect(() => engine.keys.put({ ...key("primary"), id: "key_other", name: "other" })).toThrow("repeats");
    expect(() => engine.keys.put({ ...key("primary"), account: "acct_nowhere" })).toThrow("unknown account");
  });

  it("follow a key that is replaced", () => {
    const { engine, key } = createBench();
    const before = key("primary");
    engine.keys.put({ ...before, secret: "sk_live_replaced" });
    expect(engine.identify(`Bearer ${before.secret}`).kind).toBe("refused");
    expect(engine.identify("Bearer sk_live_replaced").kind).toBe("known");
  });
});

describe("state", () => {
  it("survives JSON: windows, cooldowns, spend, usage and settings go on where they were", async () => {
    const bench = createBench();
    bench.set("examBurst", { burst_limit: 2, cooldown_seconds: 30 });
    bench.set("examSpend", { monthly_spend_cap: 9 });
    await bench.outcomes("examBurst", 2);
    await bench.outcomes("lowLimit", 3);
    await bench.outcomes("examSpend", 2, imageWork);
    const saved = JSON.parse(JSON.stringify(bench.engine.snapshot())) as ReturnType<typeof bench.engine.snapshot>;
    const twin = createBench();
    twin.engine.restore(saved);
    for (const each of [bench, twin]) {
      await each.clock.advance(10_000);
      expect(refusalOf(await each.send("examBurst")).headers).toEqual({ "retry-after": "20" });
      expect(leaseOf(await each.send("lowLimit")).rateHeaders()["x-ratelimit-remaining-requests"]).toBe("1");
      expect(await each.outcome("examSpend", imageWork)).toBe("quota_exceeded");
    }
    expect(twin.engine.snapshot()).toEqual(bench.engine.snapshot());
  });

  it("voids tickets from before a restore", async () => {
    const bench = createBench();
    const ticket = leaseOf(await bench.send("lowToken", {}, false));
    bench.engine.reset();
    ticket.settle({ ended: "completed", promptTokens: 10, completionTokens: 20, costMicros: 180 });
    const { aggregate } = bench.engine.usageReport(bench.key("lowToken"), { fromMs: startMs, toMs: startMs + 1 });
    expect(aggregate.total_tokens).toBe(0);
    expect(bench.engine.unadmittedHeaders(bench.key("lowToken"), "chat", 404)["x-ratelimit-remaining-tokens"]).toBe("600");
  });

  it("is as new after a reset, at the clock's present", async () => {
    const bench = createBench();
    bench.set("examBurst", { burst_limit: 1, cooldown_seconds: 99 });
    await bench.outcomes("examBurst", 3);
    await bench.clock.advance(40 * 86_400_000);
    const { secret } = bench.key("fresh");
    bench.engine.reset();
    expect(bench.key("fresh").secret).toBe(secret);
    expect(bench.engine.identify(`Bearer ${secret}`).kind).toBe("refused");
    expect(await bench.outcome("exhausted", imageWork)).toBe("quota_exceeded");
    expect(await bench.outcomes("examBurst", 3)).toEqual(["ok", "ok", "ok"]);
  });
});
