import type { Unmet } from "../../conformance/plan/case-needs.ts";
import { examPartNames, examParts, type LimitPolicyKind } from "../../core/result/checks/limit-policies.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { NotJudged } from "../../limits/probe/not-judged.ts";

/** The requirements that the exam of limits could not reach, for lack of something in the manifest or of time. */
export function limitsOutOfScope(notJudged: readonly NotJudged[], catalogue: readonly Requirement[]): ReadonlyMap<string, Unmet> {
  const missing = examPartNames.flatMap((name) => {
    const part = examParts[name];
    const entry = notJudged.find(({ policy }) => policy === name);
    if (entry === undefined) return [];
    const { untested: reason = "not-declared", text } = entry;
    return [{ part, unmet: isOfManifest(entry) ? { reason, text, supply: part.supply } : { reason, text } }];
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
  const lacking = notJudged.filter(isOfManifest);
  const missing = examPartNames.filter((name) => lacking.some(({ policy }) => policy === name));
  return new Set(missing.flatMap((name) => examParts[name].kinds));
}

/** Whether the manifest lacks something for the part; a part that this run had no time for stays in its scope. */
function isOfManifest({ untested }: Pick<NotJudged, "untested">): boolean {
  return untested !== "not-observed";
}
