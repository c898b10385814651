import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { examParts, type LimitPolicyKind } from "../../core/checks/limit-policies.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { Supply } from "../../core/supply.ts";

/** Which requirements the exam of limits could not reach for lack of something in the manifest. */
export function limitsOutOfScope(
  notJudged: LimitsResult["notJudged"],
  catalogue: readonly Requirement[],
): ReadonlyMap<string, Unmet> {
  const missing = Object.entries(examParts).flatMap(([name, part]) => {
    const entry = notJudged.find(({ policy }) => policy === name);
    return entry === undefined ? [] : [{ part, unmet: unmetBy(entry, part.supply) }];
  });
  const rows = catalogue.filter(({ suite, exclusion }) => (suite === "limits" || suite === "spend") && exclusion === null);
  return new Map(
    rows.flatMap((row) => {
      const first = missing.find(({ part }) => part.rows(row));
      return first === undefined ? [] : [[row.id, first.unmet] as const];
    }),
  );
}

/** Policies whose doubt is explained by what the manifest lacks. */
export function kindsOutOfScope(notJudged: LimitsResult["notJudged"]): ReadonlySet<LimitPolicyKind> {
  return new Set(
    Object.entries(examParts).flatMap(([name, { kinds }]) => (notJudged.some(({ policy }) => policy === name) ? kinds : [])),
  );
}

function unmetBy({ untested, reason }: LimitsResult["notJudged"][number], supply: readonly Supply[]): Unmet {
  return untested === undefined
    ? { reason: "not-declared", text: reason, supply }
    : { reason: untested, text: reason.slice(`${untested}: `.length), supply };
}
