import { describe, expect, it } from "vitest";
import { readTokenUsage } from "../../../src/core/exchange/bodies/token-usage.ts";
import type { Check } from "../../../src/limits/verdict/check.ts";
import { verifyPolicyChecks } from "../../../src/limits/certificates/verify-policy-certificate.ts";
import { opsOf, type LimitOp } from "../../../src/limits/history/op.ts";
import { tolerancesFor } from "../../../src/limits/history/tolerances.ts";
import { chargesNeeded } from "../../../src/limits/tokens/charges-needed.ts";
import { checkCharges } from "../../../src/limits/tokens/check-charges.ts";
import { allSwitches } from "../../../src/reference/switches/all-switches.ts";
import { makeLimitOp } from "../../make/exchanges/make-limit-op.ts";
import { manifestFor } from "../../make/load/load-target.ts";
import { examineSwitch } from "../sockets/examine-switch.ts";

const limit = 4000;
const own = 12;

/** Prompts of 600 tokens and answers of 20 of a window of 4,000, each between two readings; the service charges so much for each. */
function chargesOf(charged: number, cachedTokens: number | null): Check {
  const tolerances = tolerancesFor(manifestFor("http://127.0.0.1:9", {}));
  let remaining = limit - 1000;
  const ops: LimitOp[] = [];
  const add = (
    phase: "reading" | "charge-prompt",
    used: { readonly prompt: number; readonly answer: number },
    taken: number,
  ): void => {
    remaining -= taken;
    const sentMs = 2500 * ops.length;
    const tokens = { limit, remaining, resetMs: 60_000, resetFormat: "unix-seconds" } as const;
    const usage = { usedTokens: used.prompt + used.answer, promptTokens: used.prompt, completionTokens: used.answer };
    const cached = phase === "reading" ? null : cachedTokens;
    ops.push(
      makeLimitOp(ops.length + 1, sentMs, sentMs + 20, {
        policy: "tokens",
        phase,
        endpoint: "chat",
        tokens,
        ...usage,
        cachedTokens: cached,
      }),
    );
  };
  const read = (): void => add("reading", { prompt: own - 1, answer: 1 }, own);
  read();
  // A pause that brings nothing back: the label is that of a window.
  read();
  for (let count = 0; count < 2; count += 1) {
    add("charge-prompt", { prompt: 600, answer: 20 }, charged);
    read();
  }
  const driven = opsOf(ops, "tokens");
  const known = { step: 0, lump: 0, mayHaveEnded: () => false };
  return verifyPolicyChecks([checkCharges(driven, known, tolerances, { needed: chargesNeeded })], ops)[0]!;
}

describe("the charge of a prompt that a cache held", () => {
  it.each([
    ["all of it", 620, 500, "pass"],
    ["what was not cached", 120, 500, "pass"],
    ["nothing", 0, 500, "fail"],
    ["what was cached twice", 1120, 500, "fail"],
    ["less than all, where nothing was cached", 120, null, "fail"],
    ["nothing, where all of the prompt was cached", 0, 600, "fail"],
  ] as const)("is judged where the service charges %s", (_name, charged, cached, verdict) => {
    const check = chargesOf(charged, cached);
    expect([check.verdict, check.message]).toEqual([verdict, expect.any(String)]);
  });

  it.each(["tokens/cached-free", "tokens/cached-twice"])("is asked for by the exam: %s", async (id) => {
    const one = allSwitches.find((each) => each.id === id)!;
    const { findings, result } = await examineSwitch("tokens", one);
    const failed = findings.filter(({ verdict }) => verdict === "fail").map(({ check }) => check);
    expect([failed, result.policies[0]?.verdict]).toEqual(
      one.kind === "variant" ? [[], "pass"] : [["tokens.wrong-charge"], "fail"],
    );
  });
});

it.each([
  { prompt_tokens_details: { cached_tokens: 40 } },
  { prompt_cache_hit_tokens: 40, prompt_cache_miss_tokens: 60 },
  { cache_read_input_tokens: 40 },
  { cached_tokens: 40 },
])("cached tokens are read as services report them: %j", (members) => {
  const usage = { prompt_tokens: 100, completion_tokens: 2, total_tokens: 102, ...members };
  expect(readTokenUsage({ usage })?.cachedTokens).toBe(40);
});
