import type { VerdictChange } from "../../core/result/compare-result.ts";
import { judgedVerdicts, type UntestedReason, type Verdict } from "../../core/result/verdict.ts";

export type Verdicts = ReadonlyMap<string, Judgement>;

interface Judgement {
  readonly verdict: Verdict;
  readonly message: string | null;
  readonly untested?: UntestedReason | undefined;
}

const decided: ReadonlySet<Verdict> = new Set(["pass", "fail"]);

/**
 * The rows that the earlier run judged and the later one did not. Rows whose condition did not arise are no loss: whether a
 * target answers 503 in a night does not depend on the operator of the gate. An open question that stays open is none either.
 * Nor is a row for want of a permission that the earlier run did not have: it judged the row from what it happened to see.
 */
export function findLostCoverage(base: Verdicts, next: Verdicts): readonly VerdictChange[] {
  const withheld = new Set([...base.values()].filter(isWithheld).map(({ message }) => message));
  return [...base].flatMap(([id, before]) => {
    const after = next.get(id);
    if (after !== undefined && isWithheld(after) && withheld.has(after.message)) return [];
    const lost =
      after === undefined || after.verdict === "untested"
        ? judgedVerdicts.has(before.verdict)
        : after.verdict === "inconclusive" && decided.has(before.verdict);
    return lost ? [{ id, base: before.verdict, next: after?.verdict ?? null, message: after?.message ?? null }] : [];
  });
}

function isWithheld({ untested }: Judgement): boolean {
  return untested === "not-permitted";
}
