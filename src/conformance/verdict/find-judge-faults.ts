import type { Finding } from "../../core/result/finding.ts";
import { describeJudgeFailure, type JudgeFault } from "./judge-fault.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";

/** One finding for each judge that failed on answers. */
export function findJudgeFaults(occurrences: readonly JudgedOccurrence[]): readonly Finding[] {
  return faultsOf(occurrences).map(describeJudgeFailure);
}

/** Judges that failed, each once. */
export function faultsOf(occurrences: readonly JudgedOccurrence[]): readonly JudgeFault[] {
  const byJudge = new Map<string, { readonly fault: string; readonly exchanges: Set<number> }>();
  for (const { judge, fault, exchanges } of occurrences) {
    if (fault === undefined) continue;
    const known = byJudge.get(judge) ?? { fault, exchanges: new Set<number>() };
    byJudge.set(judge, known);
    for (const seq of exchanges) known.exchanges.add(seq);
  }
  return [...byJudge].map(([judge, { fault, exchanges }]) => ({ judge, fault, exchanges: [...exchanges], more: 0 }));
}
