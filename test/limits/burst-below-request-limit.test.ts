import { describe, expect, it } from "vitest";
import { checkAllowance } from "../../src/limits/burst/burst-checks.ts";
import type { BurstView } from "../../src/limits/burst/burst-view.ts";
import type { LimitOp } from "../../src/limits/history/op.ts";
import { defaultTolerances } from "../../src/limits/history/tolerances.ts";

const none = { limit: null, remaining: null, resetMs: null, resetFormat: null };

function answered(seq: number, outcome: "admitted" | "rejected", cause: LimitOp["cause"]): LimitOp {
  return {
    seq,
    key: "examBurst",
    endpoint: "models",
    policy: "burst",
    phase: "volley",
    label: `volley-${seq}`,
    path: "/v1/models",
    sentMs: seq,
    headersMs: seq + 5,
    endMs: seq + 5,
    status: outcome === "admitted" ? 200 : 429,
    outcome,
    cause,
    requests: none,
    tokens: none,
    headerProblems: [],
    retry: null,
    dateMs: null,
    ownOffsetMs: null,
    usedTokens: null,
    promptTokens: null,
    completionTokens: null,
    streamed: false,
    maxTokens: null,
    cached: false,
  };
}

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
    ops,
    rounds: [{ kind: "volley", ops, admitted, rejected, earliestMs: null, latestMs: 10 }],
    otherKeyOps: [],
    below: [],
    tolerances: defaultTolerances,
    exclusive: true,
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
