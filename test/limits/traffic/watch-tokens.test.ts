import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import { describeOvershoot } from "../../../src/core/result/describe-overshoot.ts";
import type { LimitCheckResult } from "../../../src/core/result/limits-result.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { watchTokens } from "../../../src/limits/traffic/watch-tokens.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { lawfulTokens, type LawfulTokens } from "../simulation/token-gates.ts";

const limit = 3000;
/** Unix time at the begin of the run, in the middle of a minute. */
const epochMs = Date.UTC(2026, 10, 21, 9, 30, 25);
const clients = 20;
const forMs = 200_000;

/** Twenty clients that ask as soon as they were answered, and rest after a refusal. */
function drive(service: LawfulTokens, seed: number): readonly LimitOp[] {
  const random = createRandom(seed);
  const counter = service.create(limit);
  const ops: LimitOp[] = [];
  const queue: { readonly atMs: number; readonly run: (nowMs: number) => void }[] = [];
  const at = (atMs: number, run: (nowMs: number) => void): void => void queue.push({ atMs, run });
  const ask = (sentMs: number): void => {
    const demand = { promptTokens: 20, completionTokens: random.integer(10, 40), maxTokens: 50 };
    const { atStart, atEnd, lagMs } = service.charges(demand);
    const { remaining } = counter.read(epochMs + sentMs);
    const isServed = service.refusesBy === "need" ? remaining >= Math.max(atStart, 1) : remaining > 0;
    if (isServed) counter.add(epochMs + sentMs, atStart);
    const reading = counter.read(epochMs + sentMs);
    const headersMs = sentMs + 20;
    const endMs = isServed ? sentMs + random.integer(500, 6000) : headersMs;
    const tokens = { ...reading, resetMs: 1000 * Math.ceil(reading.resetMs / 1000), resetFormat: "unix-seconds" as const };
    const shown = {
      endpoint: "chat" as const,
      path: "/v1/chat/completions",
      policy: "" as const,
      phase: "load" as const,
      tokens,
    };
    const known = { endMs, dateMs: epochMs + 1000 * Math.floor(headersMs / 1000), ownOffsetMs: epochMs };
    const seq = ops.length + 1;
    if (isServed) {
      const usedTokens = demand.promptTokens + demand.completionTokens;
      ops.push(makeLimitOp(seq, sentMs, headersMs, { ...shown, ...known, usedTokens }));
      at(endMs + lagMs, (nowMs) => counter.add(epochMs + nowMs, atEnd));
    } else
      ops.push(makeLimitOp(seq, sentMs, headersMs, { ...shown, ...known, status: 429, outcome: "rejected", cause: "tokens" }));
    const nextMs = isServed ? endMs + 5 : sentMs + 2000 + random.integer(0, 1000);
    if (nextMs < forMs) at(nextMs, ask);
  };
  for (let client = 0; client < clients; client += 1) at(client * 7, ask);
  for (let next = take(queue); next !== undefined; next = take(queue)) next.run(next.atMs);
  return ops;
}

function take<Item extends { readonly atMs: number }>(queue: Item[]): Item | undefined {
  const first = queue.reduce<Item | undefined>(
    (least, item) => (least === undefined || item.atMs < least.atMs ? item : least),
    undefined,
  );
  if (first !== undefined) queue.splice(queue.indexOf(first), 1);
  return first;
}

/** In the order in which they ended, as a load engine sees them. */
function judge(ops: readonly LimitOp[]): LimitCheckResult | undefined {
  const watch = watchTokens(manifestFor("http://127.0.0.1:9", {}));
  for (const op of ops.toSorted((a, b) => a.endMs - b.endMs)) watch.onOp(op);
  return watch.finish()?.result.policies[0]?.checks[0];
}

const window = lawfulTokens.find(({ id }) => id === "clock window, charged at the end")!;

describe("token limits under load", () => {
  it.each(lawfulTokens)("accuse no lawful service: $id", (service) => {
    for (const seed of [1, 2, 3]) {
      expect(["pass", "inconclusive"]).toContain(judge(drive(service, seed))?.verdict ?? "inconclusive");
    }
  });

  it.each(lawfulTokens)("accuse no lawful service whose answers show no Date and were read late: $id", (service) => {
    const readLate = (op: LimitOp): LimitOp => ({
      ...op,
      dateMs: null,
      lateMs: 8000,
      headersMs: op.headersMs + 8000,
      endMs: op.endMs + 8000,
    });
    for (const seed of [1, 2]) expect(judge(drive(service, seed).map(readLate))?.verdict ?? "inconclusive").not.toBe("fail");
  });

  it("never take a label beyond a window for that of the window a request was counted in, however late it was read", () => {
    const tokens = { limit: 100, remaining: 0, resetMs: epochMs + 100_000, resetFormat: "unix-seconds" } as const;
    const shown = { endpoint: "chat", tokens, usedTokens: 100, ownOffsetMs: epochMs } as const;
    const used = Array.from({ length: 45 }, (_, index) => makeLimitOp(index + 1, 1000 + index, 1100 + index, shown));
    const verdictOf = (headersMs: number, lateMs: number): string | undefined =>
      judge([...used, makeLimitOp(99, 33_000, headersMs, { ...shown, lateMs })])?.verdict;
    expect(verdictOf(40_000, 0)).toBe("fail");
    expect(verdictOf(40_000, 3500)).not.toBe("fail");
  });

  it("say the most that was admitted, and can be where the charge comes after the answer", () => {
    const ops = drive(window, 1);
    const { verdict, message, overshoot } = judge(ops)!;
    expect([verdict, overshoot?.limit, overshoot?.inFlight]).toEqual(["pass", limit, 20]);
    expect(message).toContain(`; ${describeOvershoot(overshoot!)}`);
    expect(overshoot!.used).toBeGreaterThan(limit);
    expect(overshoot!.used).toBeLessThanOrEqual(limit + overshoot!.atOnce);
    const [first, ...others] = ops.filter(({ outcome }) => outcome === "admitted");
    expect(judge([{ ...first!, usedTokens: null }, ...others])?.overshoot?.withoutUsage).toBe(1);
  });

  it("fail a service that never charges, with the words of the exam", () => {
    const free: LawfulTokens = { ...window, charges: () => ({ atStart: 0, atEnd: 0, lagMs: 0 }) };
    const { verdict, message, certificate, overshoot } = judge(drive(free, 1))!;
    expect(verdict).toBe("fail");
    expect(overshoot?.inFlight).toBe(20);
    expect(message).toMatch(/^#\d+ was admitted after \d+ tokens in the same window; the limit is 3000$/);
    expect(certificate?.ops.length).toBeLessThan(200);
  });

  it("take tokens of the prompt that a cache held for free", () => {
    const cached = (service: LawfulTokens): LimitCheckResult | undefined =>
      judge(drive(service, 1).map((op) => ({ ...op, usedTokens: op.usedTokens! + 1900, cachedTokens: 1900 })));
    expect(cached(window)?.verdict).toBe("pass");
    expect(cached({ ...window, charges: () => ({ atStart: 0, atEnd: 0, lagMs: 0 }) })?.verdict).toBe("fail");
  });

  it("take a label of the past, or one that never comes, for no window", () => {
    const free: LawfulTokens = { ...window, charges: () => ({ atStart: 0, atEnd: 0, lagMs: 0 }) };
    const labelled = (resetMs: number): readonly LimitOp[] =>
      drive(free, 1).map((op) => ({ ...op, tokens: { ...op.tokens, resetMs } }));
    expect(judge(labelled(epochMs - 5000))?.verdict).toBe("inconclusive");
    expect(judge(labelled(epochMs + 86_400_000))?.verdict).toBe("inconclusive");
  });

  it("say nothing of a few answers, of copies of a cache and of answers without a limit", () => {
    const ops = drive(window, 1);
    expect(judge(ops.slice(0, 30))).toBeUndefined();
    expect(judge(ops.map((op) => ({ ...op, cached: true })))).toBeUndefined();
    expect(judge(ops.map((op) => ({ ...op, tokens: { ...op.tokens, limit: null } })))).toBeUndefined();
  });
});
