import type { Finding } from "../../core/result/finding.ts";
import type { JudgedOccurrence } from "./judge-exchanges.ts";

const exchangesListed = 5;

/** One finding for each judge that failed on answers: whoever reads the report must not take its silence for a pass. */
export function draftJudgeFaults(occurrences: readonly JudgedOccurrence[]): readonly Omit<Finding, "id">[] {
  const byJudge = new Map<string, { readonly fault: string; readonly exchanges: Set<number> }>();
  for (const { judge, fault, exchanges } of occurrences) {
    if (fault === undefined) continue;
    const known = byJudge.get(judge) ?? { fault, exchanges: new Set<number>() };
    byJudge.set(judge, known);
    for (const seq of exchanges) known.exchanges.add(seq);
  }
  return [...byJudge].map(([judge, { fault, exchanges }]) => {
    const seqs = [...exchanges].toSorted((one, other) => one - other);
    return {
      stage: "harness",
      requirement: null,
      check: judge,
      level: null,
      verdict: "advisory",
      message: `the judge ${judge} failed on what the target sent: its requirements are inconclusive there`,
      spec: null,
      sent: null,
      expected: "an answer that assay can judge",
      observed: fault,
      exchanges: seqs.slice(0, exchangesListed),
      more: Math.max(0, seqs.length - exchangesListed),
      curl: null,
      baselined: false,
    };
  });
}
