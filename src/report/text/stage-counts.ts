import type { ConformanceResult } from "../../core/result/conformance-result.ts";
import { isExamined } from "../../core/result/is-examined.ts";
import type { Result } from "../../core/result/result.ts";
import { countOf } from "./format-number.ts";
import { scopeCounts, type ViolatedRows } from "./scope-words.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";

/** The figures of the rows that each stage judged; null: the stage was not selected. */
export interface StageCounts {
  readonly conformance: string | null;
  readonly limits: string | null;
  readonly load: string | null;
}

/** One way to count for every output: what is in scope first, and what is outside apart. */
export function stageCounts({ conformance, scope, limits, load }: Result): StageCounts {
  return {
    conformance: conformance === null || scope === null ? null : scopeCounts(scope, countViolated(conformance)),
    limits: limits === null ? null : countLimits(limits),
    load: load === null ? null : countGates(load),
  };
}

function countViolated({ requirements }: ConformanceResult): ViolatedRows {
  const violated = requirements.filter(({ verdict }) => verdict === "fail");
  const inPassing = violated.filter((row) => row.inPassing === true).length;
  return { inScope: violated.length - inPassing, inPassing };
}

/**
 * Every policy is counted once; inconclusive: the evidence does not decide it; untested: the manifest does not supply what it needs.
 * Policies that other stages merely touched need not decide anything, and stand apart.
 */
function countLimits({ policies, notJudged }: LimitsResult): string {
  const count = (verdict: string): number => policies.filter((policy) => policy.verdict === verdict).length;
  const [correct, violated, advisory] = [count("pass"), count("fail"), count("advisory")];
  const touched = policies.filter((policy) => !isExamined(policy)).length;
  const open = policies.length - correct - violated - advisory - touched;
  const advised = advisory > 0 ? `${countOf(advisory, "with advisories", "with advisories")}, ` : "";
  return `${correct} correct, ${violated} violated, ${advised}${open} inconclusive; ${notJudged.length} untested${touched > 0 ? `, ${touched} not examined` : ""}`;
}

function countGates({ profiles }: NonNullable<Result["load"]>): string {
  const gates = profiles.flatMap((profile) => profile.gates);
  const met = gates.filter(({ verdict }) => verdict === "pass").length;
  const judged = gates.filter(({ verdict }) => verdict === "pass" || verdict === "fail").length;
  if (gates.length === 0) return "without gates";
  const open = judged === gates.length ? "" : `, ${gates.length - judged} inconclusive`;
  return judged === 0 ? `${countOf(gates.length, "gate")} inconclusive` : `${met} of ${countOf(judged, "gate")} met${open}`;
}
