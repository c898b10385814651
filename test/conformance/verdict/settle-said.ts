import type { JudgedOccurrence } from "../../../src/conformance/verdict/judged-occurrence.ts";
import { settleRequirement } from "../../../src/conformance/verdict/settle-requirement.ts";
import type { RequirementResult } from "../../../src/core/result/conformance-result.ts";
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

/** The row of a requirement about which this was said, with the occurrences that count. */
export type SettledRow = readonly [row: RequirementResult, occurrences: readonly JudgedOccurrence[]];

export function settle(
  occurrences: readonly JudgedOccurrence[],
  {
    requirement = {},
    exchanges = [],
    strict = false,
  }: { requirement?: Partial<Requirement>; exchanges?: readonly Exchange[]; strict?: boolean } = {},
): SettledRow {
  const row = makeRequirement(requirement);
  return settleRequirement({
    requirement: row,
    occurrences: occurrences.map((one) => ({ ...one, requirement: row.id })),
    bySeq: new Map(exchanges.map((exchange) => [exchange.seq, exchange])),
    absence: { verdict: "not-applicable", reason: "nothing was seen" },
    strict,
    isAskedFor: true,
  });
}
