import { allJudges } from "../../src/conformance/judges/all-judges.ts";
import { judgeExchanges } from "../../src/conformance/verdict/judge-exchanges.ts";
import { openJudgeContext } from "../../src/run/judge-context.ts";
import type { Examined } from "./examine-reference.ts";

/** By requirement, the cases whose exchanges a judge of it spoke of in this run, cheapest first. */
export function casesThatJudge({ manifest, exchanges }: Examined): ReadonlyMap<string, readonly string[]> {
  const caseOf = new Map(exchanges.map(({ seq, caseId }) => [seq, caseId]));
  const costs = new Map<string, number>();
  for (const { caseId } of exchanges) if (caseId != null) costs.set(caseId, (costs.get(caseId) ?? 0) + 1);
  const cases = new Map<string, Set<string>>();
  for (const { requirement, exchanges: looked } of judgeExchanges(exchanges, allJudges, openJudgeContext(manifest))) {
    const own = cases.get(requirement) ?? new Set();
    for (const caseId of looked.map((seq) => caseOf.get(seq))) if (caseId != null) own.add(caseId);
    cases.set(requirement, own);
  }
  const costOf = (id: string): number => costs.get(id) ?? 0;
  return new Map([...cases].map(([id, own]) => [id, [...own].sort((one, other) => costOf(one) - costOf(other))]));
}
