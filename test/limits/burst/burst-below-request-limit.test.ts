import { describe, expect, it } from "vitest";
import { checkAllowance } from "../../../src/limits/burst/burst-checks.ts";
import type { BurstView } from "../../../src/limits/burst/burst-view.ts";
import type { LimitOp } from "../../../src/limits/history/op.ts";
import { defaultTolerances } from "../../../src/limits/history/tolerances.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";

const answered = (seq: number, outcome: "admitted" | "rejected", cause: LimitOp["cause"]): LimitOp =>
  makeLimitOp(seq, seq, seq + 5, {
    key: "examBurst",
    policy: "burst",
    phase: "volley",
    label: `volley-${seq}`,
    status: outcome === "admitted" ? 200 : 429,
    outcome,
    cause,
  });

/** Four requests are served and the fifth is refused; the allowance is ten. */
function viewWith(cause: LimitOp["cause"]): BurstView {
  const admitted = [1, 2, 3, 4].map((seq) => answered(seq, "admitted", null));
  const rejected = [answered(5, "rejected", cause)];
  const ops = [...admitted, ...rejected];
  return {
    key: "examBurst",
    burst: 10,
    cooldownMs: 65_000,
    change: { seq: 0, subject: "key:examBurst", sentMs: 0, answeredMs: 0, settings: {} },
    changes: [],
    isSetAtOnce: false,
    isStall: () => false,
    isWatched: () => true,
    waitedUntilMs: () => Number.NEGATIVE_INFINITY,
    ops,
    rounds: [{ kind: "volley", ops, admitted, rejected, earliestMs: null, latestMs: 10, usedFromMs: null }],
    otherKeyOps: [],
    lastAnsweredMs: 0,
    below: [],
    tolerances: defaultTolerances,
    exclusive: true,
    propagationMs: 0,
  };
}

describe("an allowance above what the request limit grants at once", () => {
  it.each(["requests", "tokens"] as const)("is not accused where the refusal says that the %s are used up", (cause) => {
    expect(checkAllowance(viewWith(cause)).verdict).not.toBe("fail");
  });

  it.each(["burst", "unknown"] as const)("is accused where the refusal speaks of no other limit (%s)", (cause) => {
    expect(checkAllowance(viewWith(cause))).toMatchObject({ verdict: "fail" });
  });
});
