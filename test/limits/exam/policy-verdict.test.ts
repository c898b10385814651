import { expect, it } from "vitest";
import type { LimitTier } from "../../../src/core/result/limits-result.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { judgedByExam, policyVerdict } from "../../../src/limits/probe/policy.ts";
import { type Check, checkHead, inconclusive } from "../../../src/limits/verdict/check.ts";

function check(verdict: Verdict): Check {
  return { ...inconclusive(checkHead("tokens.wrong-charge"), 1, `it is ${verdict}`), verdict };
}

it.each([
  ["violation", ["fail", "advisory", "inconclusive", "pass"], "fail"],
  ["inconclusive", ["advisory", "inconclusive", "pass"], "inconclusive"],
  ["inconclusive", ["advisory", "pass"], "inconclusive"],
  ["unexplained", ["advisory", "pass"], "advisory"],
  // A question beside the core ones leaves a policy judged.
  ["unrefuted", ["advisory", "inconclusive", "pass"], "advisory"],
  ["unrefuted", ["inconclusive", "pass"], "pass"],
  ["consistent", ["not-applicable", "pass"], "pass"],
  ["inconclusive", ["pass"], "inconclusive"],
] as const satisfies readonly (readonly [LimitTier, readonly Verdict[], Verdict])[])(
  "a policy of tier %s with checks %j is %s",
  (tier, verdicts, expected) => {
    expect(policyVerdict(tier, verdicts.map(check))).toBe(expected);
    expect(policyVerdict(tier, verdicts.map(check).toReversed())).toBe(expected);
  },
);

it("a policy whose core question is open says so, and not what is advised", () => {
  const advised = { ...check("advisory"), id: "tokens.retry-after-too-long" } as const;
  const { verdict, summary } = judgedByExam("tokens", [check("inconclusive"), advised], "agreed");
  expect([verdict, summary]).toEqual(["inconclusive", expect.stringContaining("it is inconclusive")]);
});
