import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Case } from "../plan/case.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";

/** So many failing cases of one requirement are repeated at most: one confirmed violation is enough to say it. */
const casesPerRequirement = 2;

/** Cases to send once more, on fresh connections, because a violation in them is not proven by the record alone, or what was seen shows nothing. */
export function chooseConfirmations(
  occurrences: readonly JudgedOccurrence[],
  exchanges: readonly Exchange[],
  cases: readonly Case[],
): readonly Case[] {
  const known = new Set(cases.map((one) => one.id));
  const caseOf = new Map(exchanges.filter(({ caseId }) => known.has(caseId)).map(({ seq, caseId }) => [seq, caseId]));
  const failing = new Map<string, Set<string>>();
  for (const occurrence of occurrences) {
    if (occurrence.asksAgain !== true && (occurrence.conclusive || occurrence.outcome !== "fail")) continue;
    const caseId = caseOf.get(occurrence.exchanges[0] ?? 0);
    if (caseId === undefined) continue;
    const ids = failing.get(occurrence.requirement) ?? new Set<string>();
    failing.set(occurrence.requirement, ids.add(caseId));
  }
  const chosen = new Set<string>();
  // Requirements with few candidates first: their cases often confirm the others too.
  for (const ids of [...failing.values()].toSorted((one, other) => one.size - other.size)) {
    const already = [...ids].filter((id) => chosen.has(id)).length;
    for (const id of [...ids].sort().slice(0, Math.max(0, casesPerRequirement - already))) chosen.add(id);
  }
  return cases.filter((one) => chosen.has(one.id));
}
