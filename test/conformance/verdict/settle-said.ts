import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { settleRequirement, type SettledRequirement } from "../../../src/conformance/verdict/settle-requirement.ts";
import type { Exchange } from "../../../src/core/exchange/exchange.ts";
import type { Requirement } from "../../../src/core/result/requirement.ts";
import { makeRequirement } from "../../make/results/make-requirement.ts";

export function said(
  outcome: JudgedOccurrence["outcome"],
  exchanges: readonly number[],
  more: Partial<JudgedOccurrence> = {},
): JudgedOccurrence {
  return { requirement: "T-001", judge: "j", outcome, exchanges, conclusive: false, kind: more.message ?? "", ...more };
}

export function settle(
  occurrences: readonly JudgedOccurrence[],
  {
    requirement = {},
    exchanges = [],
    strict = false,
  }: { requirement?: Partial<Requirement>; exchanges?: readonly Exchange[]; strict?: boolean } = {},
): SettledRequirement {
  return settleRequirement({
    requirement: makeRequirement(requirement),
    occurrences,
    bySeq: new Map(exchanges.map((exchange) => [exchange.seq, exchange])),
    absence: { verdict: "not-applicable", reason: "nothing was seen" },
    strict,
  });
}
