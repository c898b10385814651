import { buildMatrix, type MatrixCell, type MatrixEntry } from "../../core/result/conformance-matrix.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { SettledRequirement } from "../verdict/settle-requirement.ts";

/** Endpoints against the answers that were seen. A violation that was not confirmed shows as a doubt, as in its requirement. */
export function describeMatrix(
  settled: readonly SettledRequirement[],
  bySeq: ReadonlyMap<number, Exchange>,
): readonly MatrixCell[] {
  return buildMatrix(settled.flatMap((one) => entriesOf(one, bySeq)));
}

function entriesOf(
  { requirement, verdict, occurrences, violations }: SettledRequirement,
  bySeq: ReadonlyMap<number, Exchange>,
): readonly MatrixEntry[] {
  const violating = new Set(violations);
  return occurrences.flatMap((occurrence) => {
    const subject = bySeq.get(occurrence.exchanges[0] ?? 0);
    if (subject === undefined) return [];
    const isViolation = occurrence.outcome === "fail" || occurrence.outcome === "advisory";
    const doubted = verdict === "observed" ? "observed" : "inconclusive";
    const worst = verdict === "fail" && occurrence.outcome === "fail" ? "fail" : "advisory";
    const outcome = !isViolation ? occurrence.outcome : violating.has(occurrence) ? worst : doubted;
    return [{ subject, requirement: requirement.id, outcome }];
  });
}
