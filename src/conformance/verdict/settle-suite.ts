import type { RequirementResult, SuiteResult } from "../../core/result/conformance-result.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import type { Level, SuiteId } from "../../core/result/requirement.ts";
import type { SuiteVerdict, Verdict } from "../../core/result/verdict.ts";

const levels: readonly Level[] = ["must", "implied", "should", "may", "unspecified"];

/** Counts of one suite and the word for it; no scores, no percentages. */
export function settleSuite(id: SuiteId, requirements: readonly RequirementResult[]): SuiteResult {
  const rows = requirements.filter((row) => row.suite === id);
  const counts = Object.fromEntries(levels.map((level) => [level, countVerdicts(rows.filter((row) => row.level === level))]));
  return { id, verdict: verdictOf(id, rows), counts: counts as SuiteResult["counts"] };
}

function countVerdicts(rows: readonly RequirementResult[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of rows) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

/**
 * Conformant only if every binding row in scope was judged and none failed; a lenient reading that was not met is an advisory and
 * does not stand in the way, nor does a row outside the scope. The overlay binds nobody, so all its rows count.
 */
function verdictOf(id: SuiteId, rows: readonly RequirementResult[]): SuiteVerdict {
  const binding = rows.filter((row) => (id === "convention" || isBinding(row.level)) && row.verdict !== "excluded");
  if (binding.some((row) => row.verdict === "fail")) return "non-conformant";
  if (binding.some((row) => row.verdict === "inconclusive")) return "incomplete";
  return binding.some((row) => row.verdict === "pass" || row.verdict === "advisory") ? "conformant" : "untested";
}
