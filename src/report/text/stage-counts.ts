import type { Result } from "../../core/result/result.ts";
import { countOf } from "./format-number.ts";
import { scopeCounts } from "./scope-words.ts";
import type { LimitsResult } from "../../core/result/limits-result.ts";

/** What a stage judged, in figures; null where it was not selected. */
export interface StageCounts {
  readonly conformance: string | null;
  readonly limits: string | null;
  readonly load: string | null;
}

/** One way to count for every output: what is in scope first, and what is outside apart. */
export function stageCounts({ conformance, scope, limits, load }: Result): StageCounts {
  return {
    conformance:
      conformance === null || scope === null
        ? null
        : scopeCounts(scope, conformance.requirements.filter(({ verdict }) => verdict === "fail").length),
    limits: limits === null ? null : countLimits(limits),
    load: load === null ? null : countGates(load),
  };
}

function countLimits(limits: NonNullable<Result["limits"]>): string {
  const { correct, violated, advisory, open, notExamined } = countPolicies(limits);
  const advised = advisory > 0 ? `${countOf(advisory, "with advisories", "with advisories")}, ` : "";
  return `${correct} correct, ${violated} violated, ${advised}${open} not decided; ${notExamined} not examined`;
}

function countGates({ profiles }: NonNullable<Result["load"]>): string {
  const gates = profiles.flatMap((profile) => profile.gates);
  const met = gates.filter(({ verdict }) => verdict === "pass").length;
  return gates.length === 0 ? "without gates" : `${met} of ${countOf(gates.length, "gate")} met`;
}

interface PolicyCounts {
  readonly correct: number;
  readonly violated: number;
  readonly advisory: number;
  /** Seen too little to be judged. */
  readonly open: number;
  /** For lack of a fixture or permission, or because the target did not get there. */
  readonly notExamined: number;
}

/** How many policies ended in which way; every policy is counted once. */
function countPolicies({ policies, notJudged }: LimitsResult): PolicyCounts {
  const count = (verdict: string): number => policies.filter((policy) => policy.verdict === verdict).length;
  const [correct, violated, advisory] = [count("pass"), count("fail"), count("advisory")];
  return { correct, violated, advisory, open: policies.length - correct - violated - advisory, notExamined: notJudged.length };
}
