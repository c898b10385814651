import { expect, it } from "vitest";
import type { LimitTier } from "../../../src/core/result/limits-result.ts";
import type { Verdict } from "../../../src/core/result/verdict.ts";
import { judgedByExam, policyVerdict } from "../../../src/limits/probe/policy.ts";
import { type Check, checkHead, inconclusive, withhold } from "../../../src/limits/verdict/check.ts";

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

it("an accusation that nothing confirms leaves a policy open, one of advice does not", () => {
  const accusation = (verdict: Verdict): Check => ({ ...check(verdict), id: "tokens.lost-updates" });
  const agreed = [check("pass"), { ...check("pass"), id: "tokens.over-admission" } as const];
  const judge = (verdict: Verdict): readonly string[] => {
    const said = judgedByExam("tokens", [...agreed, withhold(accusation(verdict), "it was away")], "agreed");
    return [said.tier, said.verdict, said.summary];
  };
  expect(judge("fail")).toEqual(["inconclusive", "inconclusive", expect.stringContaining("it was away")]);
  expect(judge("advisory")).toEqual(["unrefuted", "pass", "agreed"]);
  expect(policyVerdict("unrefuted", [withhold(accusation("fail"), "it was away")])).toBe("inconclusive");
});

it("a policy whose core question is open says so, and not what is advised", () => {
  const advised = { ...check("advisory"), id: "tokens.retry-after-too-long" } as const;
  const { verdict, summary } = judgedByExam("tokens", [check("inconclusive"), advised], "agreed");
  expect([verdict, summary]).toEqual(["inconclusive", expect.stringContaining("it is inconclusive")]);
});
