import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Ticket } from "../../../src/reference/engine/admission.ts";
import { billingCycleAt } from "../../../src/reference/engine/spend/billing-cycle.ts";
import {
  audioCostMicros,
  chatCostMicros,
  embeddingCostMicros,
  imageCostMicros,
} from "../../../src/reference/engine/spend/prices.ts";
import { createBench, imageWork, leaseOf, modelsWork, plainWork, refusalOf, startMs, type EngineBench } from "./engine-bench.ts";
import { runsOf } from "../../make/runner/sample.ts";

function spentMicros(bench: EngineBench, name: string): number {
  const key = bench.key(name);
  const report = bench.engine.usageReport(key, { fromMs: startMs, toMs: bench.clock.wallMs() + 1 });
  return Math.round(report.aggregate.total_cost_usd * 1e6);
}

describe("key cap", () => {
  it("refuses in the quota shape once the next request would exceed it", async () => {
    const bench = createBench();
    bench.set("examSpend", { monthly_spend_cap: 10 });
    expect(await bench.outcomes("examSpend", 3, imageWork)).toEqual(["ok", "ok", "quota_exceeded"]);
    const refusal = refusalOf(await bench.send("examSpend", imageWork));
    expect(refusal).toMatchObject({ status: 429, headers: {}, cause: "key-cap" });
    expect(refusal.body).toEqual({
      error: "quota_exceeded",
      retry_after_ms: Date.UTC(2026, 11, 1) - startMs,
      cap_type: "monthly_spend",
    });
    expect(await bench.outcome("primary", imageWork)).toBe("ok");
    expect(await bench.outcome("examSpend", modelsWork)).toBe("ok");
  });

  it("is born exhausted where the fixture says so", async () => {
    const bench = createBench();
    for (const endpoint of ["chat", "embeddings", "images", "transcriptions"] as const) {
      expect(await bench.outcome("exhausted", { endpoint })).toBe("quota_exceeded");
    }
    expect(await bench.outcome("exhausted", modelsWork)).toBe("ok");
  });

  it("cannot be exceeded, whatever the order of starts and ends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 12 }),
        fc.array(
          fc.record({
            worst: fc.integer({ min: 1, max: 60_000 }),
            share: fc.double({ min: 0, max: 1, noNaN: true }),
            ends: fc.boolean(),
          }),
          {
            maxLength: 40,
          },
        ),
        async (cents, requests) => {
          const bench = createBench();
          bench.set("examSpend", { monthly_spend_cap: cents });
          const open: { readonly ticket: Ticket; readonly costMicros: number }[] = [];
          const end = (): void => {
            const next = open.shift();
            next?.ticket.settle({ ended: "completed", promptTokens: 1, completionTokens: 1, costMicros: next.costMicros });
          };
          for (const { worst, share, ends } of requests) {
            const admission = await bench.send("examSpend", { maxCostMicros: worst }, false);
            if (admission.kind === "admitted") open.push({ ticket: admission.ticket, costMicros: Math.floor(worst * share) });
            if (ends) end();
          }
          while (open.length > 0) end();
          expect(spentMicros(bench, "examSpend")).toBeLessThanOrEqual(cents * 10_000);
        },
      ),
      { numRuns: runsOf(60) },
    );
  });

  it("frees what an aborted or failed request did not cost", async () => {
    const bench = createBench();
    bench.set("examSpend", { monthly_spend_cap: 4 });
    const failed = leaseOf(await bench.send("examSpend", imageWork, false));
    expect(await bench.outcome("examSpend", imageWork)).toBe("quota_exceeded");
    failed.settle({ ended: "failed", promptTokens: 0, completionTokens: 0, costMicros: 40_000 });
    const aborted = leaseOf(await bench.send("examSpend", { maxCostMicros: 40_000 }, false));
    aborted.settle({ ended: "aborted", promptTokens: 10, completionTokens: 1, costMicros: 28 });
    expect(await bench.outcome("examSpend", { maxCostMicros: 39_972 })).toBe("ok");
    expect(await bench.outcome("examSpend", { maxCostMicros: 1 })).toBe("quota_exceeded");
  });

  it("acts at once when lowered below what was spent, reopens when raised, ends when cleared", async () => {
    const bench = createBench();
    await bench.outcomes("examSpend", 3, imageWork);
    bench.set("examSpend", { monthly_spend_cap: 3 });
    expect(await bench.outcome("examSpend", { maxCostMicros: 1 })).toBe("quota_exceeded");
    bench.set("examSpend", { monthly_spend_cap: 17 });
    expect(await bench.outcomes("examSpend", 2, imageWork)).toEqual(["ok", "quota_exceeded"]);
    bench.set("examSpend", { monthly_spend_cap: null });
    expect(await bench.outcome("examSpend", imageWork)).toBe("ok");
    bench.set("examSpend", { monthly_spend_cap: 0 });
    expect(await bench.outcome("examSpend", { maxCostMicros: 1 })).toBe("quota_exceeded");
  });

  it("resets at the first millisecond of the month in UTC", async () => {
    const monthEndMs = Date.UTC(2026, 11, 1);
    const bench = createBench([], {}, monthEndMs - 1000);
    expect(refusalOf(await bench.send("exhausted", imageWork)).body).toMatchObject({ retry_after_ms: 1000 });
    await bench.clock.advance(999);
    expect(refusalOf(await bench.send("exhausted", imageWork)).body).toMatchObject({ retry_after_ms: 1 });
    await bench.clock.advance(1);
    expect(await bench.outcome("exhausted", imageWork)).toBe("ok");
    await bench.clock.advance(1);
    expect(await bench.outcome("exhausted", { maxCostMicros: 10_000 })).toBe("ok");
    expect(await bench.outcome("exhausted", { maxCostMicros: 1 })).toBe("quota_exceeded");
  });

  it("charges a request to the month of its admission", async () => {
    const bench = createBench([], {}, Date.UTC(2026, 11, 1) - 1000);
    bench.set("examSpend", { monthly_spend_cap: 4 });
    const ticket = leaseOf(await bench.send("examSpend", imageWork, false));
    await bench.clock.advance(2000);
    ticket.settle({ ended: "completed", promptTokens: 0, completionTokens: 0, costMicros: 40_000 });
    expect(await bench.outcomes("examSpend", 2, imageWork)).toEqual(["ok", "quota_exceeded"]);
  });
});

describe("account cap", () => {
  it.each([
    [[], "key-cap"],
    [["spend/account-first"], "account-cap"],
  ])("is named second where both are reached, unless it is asked first: %s", async (variants, cause) => {
    const bench = createBench(variants);
    bench.set("examSpend", { monthly_spend_cap: 3 });
    bench.engine.changeAccount(bench.key("admin"), { account_spend_cap: 5 });
    expect(refusalOf(await bench.send("examSpend", imageWork)).cause).toBe(cause);
    expect(refusalOf(await bench.send("primary", imageWork)).cause).toBe("account-cap");
  });

  it("binds all keys of the account together, whatever their own caps", async () => {
    const bench = createBench();
    const admin = bench.key("spendAdmin");
    bench.engine.changeAccount(admin, { account_spend_cap: 12 });
    bench.engine.changeKey(admin, bench.key("spendA").id, { monthly_spend_cap: 5000 });
    expect(await bench.outcomes("spendA", 2, imageWork)).toEqual(["ok", "ok"]);
    expect(await bench.outcomes("spendB", 2, imageWork)).toEqual(["ok", "quota_exceeded"]);
    expect(refusalOf(await bench.send("spendA", imageWork)).body).toMatchObject({
      error: "quota_exceeded",
      cap_type: "account_spend",
    });
    expect(await bench.outcome("primary", imageWork)).toBe("ok");
    bench.engine.changeAccount(admin, { account_spend_cap: null });
    expect(await bench.outcome("spendB", imageWork)).toBe("ok");
  });
});

describe("billing cycle", () => {
  it.each([
    ["2026-02-28T23:59:59.999Z", "2026-02-01", "2026-03-01"],
    ["2028-02-29T12:00:00.000Z", "2028-02-01", "2028-03-01"],
    ["2026-12-31T23:59:59.999Z", "2026-12-01", "2027-01-01"],
    ["2027-01-01T00:00:00.000Z", "2027-01-01", "2027-02-01"],
  ])("at %s runs from %s to %s", (at, start, end) => {
    const cycle = billingCycleAt(Date.parse(at));
    expect(cycle.id).toBe(start);
    expect([cycle.startMs, cycle.endMs]).toEqual([Date.parse(`${start}T00:00:00Z`), Date.parse(`${end}T00:00:00Z`)]);
  });

  it("can begin on another day", () => {
    expect(billingCycleAt(Date.UTC(2026, 0, 14, 23, 59, 59, 999), 15).id).toBe("2025-12-15");
    expect(billingCycleAt(Date.UTC(2026, 0, 15), 15).id).toBe("2026-01-15");
  });

  it("tiles time without gap or overlap", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: Date.UTC(2100, 0) }), fc.integer({ min: 1, max: 28 }), (nowMs, anchor) => {
        const cycle = billingCycleAt(nowMs, anchor);
        expect(cycle.startMs).toBeLessThanOrEqual(nowMs);
        expect(cycle.endMs).toBeGreaterThan(nowMs);
        expect(billingCycleAt(cycle.endMs, anchor).startMs).toBe(cycle.endMs);
        expect(billingCycleAt(cycle.endMs - 1, anchor).id).toBe(cycle.id);
      }),
    );
  });
});

describe("prices", () => {
  it("are whole micro-dollars", () => {
    expect(chatCostMicros(10, 20)).toBe(plainWork.maxCostMicros);
    expect(embeddingCostMicros(7)).toBe(7);
    expect(imageCostMicros(2, "1792x1024", "hd")).toBe(320_000);
    expect(imageCostMicros(1, "1024x1024", "standard")).toBe(40_000);
    expect(audioCostMicros(1.2)).toBe(200);
  });
});
