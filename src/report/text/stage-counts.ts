import type { Result } from "../../core/result/result.ts";
import { countPolicies } from "../count-policies.ts";
import { countOf } from "./format-number.ts";
import { scopeCounts } from "./scope-words.ts";

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
