import { describe, expect, it } from "vitest";
import { createRandom } from "../../../src/core/random.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { verifyPolicyChecks } from "../../../src/limits/certificates/verify-policy-certificate.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { checkPhantomTokens } from "../../../src/limits/tokens/check-phantom-tokens.ts";
import type { Check } from "../../../src/limits/verdict/check.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { lawfulTokens, type LawfulTokens } from "../simulation/token-gates.ts";

const limit = 20_000;
const epochMs = Date.UTC(2026, 10, 21, 9, 30, 25);
const everyMs = 2000;
const forMs = 130_000;

interface Others {
  /** Tokens that somebody else takes off the same count each second, from then on. */
  readonly tokens: number;
  readonly fromMs: number;
}

/** A key that asks every two seconds: a chat, a stream that reports nothing, a chat that is refused. */
function drive(service: LawfulTokens, seed: number, lagMs = 0, others: Others | null = null): readonly LimitOp[] {
  const random = createRandom(seed);
  const counter = service.create(limit);
  const charges: { readonly atMs: number; readonly tokens: number }[] = [];
  const charge = (atMs: number, tokens: number): void => void charges.push({ atMs, tokens });
  const settle = (untilMs: number): void => {
    charges.sort((a, b) => a.atMs - b.atMs);
    for (let next = charges[0]; next !== undefined && next.atMs <= untilMs; next = charges[0]) {
      charges.shift();
      counter.add(epochMs + next.atMs, next.tokens);
    }
  };
  for (let atMs = others?.fromMs ?? forMs; atMs < forMs; atMs += 1000) charge(atMs, others?.tokens ?? 0);
  const ops: LimitOp[] = [];
  for (let sentMs = 0; sentMs < forMs; sentMs += everyMs) {
    const kind = ["chat", "stream", "error"][ops.length % 3];
    settle(sentMs);
    const demand = { promptTokens: 20, completionTokens: random.integer(1, 16), maxTokens: 16 };
    const own = service.charges(demand);
    if (kind !== "error") counter.add(epochMs + sentMs, own.atStart);
    const read = counter.read(epochMs + sentMs);
    const remaining = service.step === undefined ? read.remaining : Math.floor(read.remaining / service.step) * service.step;
    const endMs = sentMs + random.integer(30, 6000);
    if (kind !== "error") charge(endMs + own.lagMs + lagMs, own.atEnd);
    const usedTokens = demand.promptTokens + demand.completionTokens;
    ops.push(
      makeLimitOp(ops.length + 1, sentMs, sentMs + 20, {
        endpoint: "chat",
        policy: "",
        phase: "load",
        endMs,
        maxTokens: 16,
        tokens: { limit, remaining, resetMs: 1000 * Math.ceil(read.resetMs / 1000), resetFormat: "unix-seconds" },
        ...(kind === "error" ? { status: 422, outcome: "other" as const } : {}),
        ...(kind === "chat" ? { usedTokens, promptTokens: demand.promptTokens } : {}),
      }),
    );
  }
  return ops;
}

function judge(ops: readonly LimitOp[], exclusive = true): Check {
  const known = { tolerances: defaultTolerances, exclusive, delayMs: 10_000, knownFromMs: 0 };
  return verifyPolicyChecks([checkPhantomTokens(ops, known)], ops)[0]!;
}

const verdictOf = (ops: readonly LimitOp[]): Verdict => judge(ops).verdict;
const window = lawfulTokens.find(({ id }) => id === "clock window, charged at the end")!;

describe("tokens that a key did not use", () => {
  it.each(lawfulTokens)("are seen in no lawful count: $id", (service) => {
    // Charges may come ten seconds late. A bucket that is full again at each reading shows nothing.
    const lawful = service.id.startsWith("bucket") ? ["pass", "inconclusive"] : ["pass"];
    for (const lagMs of [0, 8000]) for (const seed of [1, 2, 3]) expect(lawful).toContain(verdictOf(drive(service, seed, lagMs)));
  });

  it.each(lawfulTokens)("are found in each count: $id", (service) => {
    const { verdict, message } = judge(drive(service, 1, 0, { tokens: 600, fromMs: 20_000 }));
    expect(verdict).toBe("fail");
    expect(message).toMatch(/^#\d+ shows \d+ tokens remaining and #\d+, [\d.]+ s later, \d+: \d+ less/);
  });

  it("may be those of requests before the load, or of others, or no more than its own", () => {
    expect(verdictOf(drive(window, 1, 0, { tokens: 3, fromMs: 0 }))).toBe("pass");
    const late = drive(window, 1).map((op) =>
      op.sentMs < 8000 ? { ...op, tokens: { ...op.tokens, remaining: op.tokens.remaining! + 9000, limit } } : op,
    );
    expect(verdictOf(late)).toBe("pass");
    expect(judge(drive(window, 1, 0, { tokens: 600, fromMs: 20_000 }), false).verdict).toBe("inconclusive");
  });

  it("cannot be seen where nothing was left, or nothing says what the requests use", () => {
    const empty = drive(window, 1).map((op) => ({ ...op, tokens: { ...op.tokens, remaining: 0 } }));
    expect(verdictOf(empty)).toBe("inconclusive");
    expect(verdictOf(drive(window, 1).map((op) => ({ ...op, usedTokens: null })))).toBe("inconclusive");
    expect(verdictOf(drive(window, 1).map((op) => ({ ...op, tokens: { ...op.tokens, limit: null } })))).toBe("inconclusive");
  });

  it("are not a reading of an older window, nor steps of rounding", () => {
    const ops = drive(window, 1);
    const lagging = ops.find(({ sentMs }) => sentMs === 40_000);
    const older = { ...lagging!.tokens, remaining: 500, resetMs: lagging!.tokens.resetMs! - 60_000 };
    expect(verdictOf(ops.map((op) => (op === lagging ? { ...op, tokens: older } : op)))).toBe("pass");
    const coarse = ops.map((op) => ({
      ...op,
      tokens: { ...op.tokens, remaining: Math.floor(op.tokens.remaining! / 5000) * 5000 },
    }));
    expect(["pass", "inconclusive"]).toContain(verdictOf(coarse));
  });
});
