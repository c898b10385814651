import { expect, it } from "vitest";
import type { FieldRules, FieldWindow } from "../../bench/field/engine/field-rules.ts";
import { serveField } from "../../bench/field/engine/serve-field.ts";
import { completeManifest } from "../../src/config/complete-manifest.ts";
import type { Exchange } from "../../src/core/exchange/exchange.ts";
import { askLimiter } from "../../src/limits/exam/ask-limiter.ts";
import { judgeLimits } from "../../src/limits/exam/judge-limits.ts";
import { planLimits } from "../../src/limits/exam/plan-limits.ts";
import { ServiceClock } from "../../src/reference/clock/service-clock.ts";
import { createWire } from "../../src/wire/client/wire.ts";
import { createHandClock } from "../limits/sockets/hand-clock.ts";
import { runExam } from "../make/run-exam.ts";
import { workingDayMs } from "../make/working-day.ts";

const dayMs = 86_400_000;

/** The fields are those of a quota of a day, as in TykTechnologies/tyk#7941, counted for each key and endpoint. */
function quotaFields(limit: number): FieldRules["limitFields"] {
  const used = new Map<string, number>();
  return (fields, { nowMs, refused, call: { key, operation } }) => {
    const counter = `${key} ${operation}`;
    const count = (used.get(counter) ?? 0) + (refused ? 0 : 1);
    used.set(counter, count);
    const reset = String((Math.floor(nowMs / dayMs) + 1) * (dayMs / 1000));
    return {
      ...fields,
      "x-ratelimit-limit-requests": String(limit),
      "x-ratelimit-remaining-requests": String(limit - count),
      "x-ratelimit-reset-requests": reset,
    };
  };
}

/** The exam as a run plans it, by what two answers show. */
async function examine(rules: Partial<FieldRules>): Promise<{
  readonly advised: readonly string[];
  readonly failed: readonly string[];
  readonly minutes: number;
  readonly plannedMinutes: number;
}> {
  const clock = new ServiceClock({ kind: "manual", startMs: workingDayMs + 13_000 });
  const server = await serveField(rules, clock);
  const { primary, secondary } = server.keys;
  const manifest = completeManifest({
    target: { baseUrl: server.url, timeoutMs: 5000 },
    keys: { primary: primary!, secondary: secondary! },
    exclusive: true,
    permissions: { exhaustLimits: true },
  });
  const exchanges: Exchange[] = [];
  const hand = createHandClock(clock, "here");
  const wire = createWire({ manifest, clock: hand, onExchange: (exchange) => exchanges.push(exchange) });
  try {
    const sender = hand.watch(wire);
    const seen = await askLimiter(manifest, { sender, clock: hand, signal: new AbortController().signal });
    const plan = await planLimits(manifest, "short", { seen });
    const startedMs = hand.nowMs();
    await runExam({ manifest, sender, clock: hand }, 1, {}, plan);
    const { result } = judgeLimits({ exchanges, manifest, strict: false });
    const checksOf = (verdict: string): readonly string[] =>
      result.policies.flatMap(({ checks }) => checks.filter((check) => check.verdict === verdict).map(({ id }) => id));
    return {
      advised: checksOf("advisory"),
      failed: checksOf("fail"),
      minutes: (hand.nowMs() - startedMs) / 60_000,
      plannedMinutes: plan.range.minutes[1],
    };
  } finally {
    await wire.close();
    await server.close();
    clock.close();
  }
}

it("a stated limit that the enforced one makes unreachable is named, within the plan", async () => {
  const { advised, failed, minutes, plannedMinutes } = await examine({ limit: 30, limitFields: quotaFields(1000) });
  expect(advised).toContain("limits.limit-unreachable");
  expect(failed).toEqual([]);
  expect(minutes).toBeLessThanOrEqual(plannedMinutes);
});

it("not so where the refusals are those of a cooldown of the key, which no other endpoint serves", async () => {
  const burst = new Map<string, FieldWindow>();
  const rules: Partial<FieldRules> = {
    limit: 600,
    admits: (window, limit, { key }) => {
      const own = burst.get(key);
      const current = own === undefined || own.endMs <= window.startMs ? { ...window, count: 0 } : own;
      burst.set(key, current);
      if (current.count >= 30 || window.count >= limit) return false;
      current.count += 1;
      return true;
    },
  };
  const { advised, failed } = await examine(rules);
  expect(failed).toEqual([]);
  expect(advised).not.toContain("limits.limit-unreachable");
});
