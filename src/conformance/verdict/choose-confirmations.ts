import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Case } from "../plan/case.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";

/** So many failing cases of one requirement are repeated at most: one confirmed violation is enough to say it. */
const casesPerRequirement = 2;

/**
 * Cases to send once more, on fresh connections, because a violation in them is not proven by the record alone, or what was seen shows nothing.
 * A requirement that every answer violated is violated by any repetition: of its cases the cheapest are sent. One that some answers met may be
 * violated now and then, and is asked for whatever it costs.
 */
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
  const met = new Set(occurrences.filter(({ outcome }) => outcome === "pass").map(({ requirement }) => requirement));
  const costs = new Map(cases.map(({ id, cost }) => [id, Object.values(cost.requests).reduce((sum, count) => sum + count, 0)]));
  const inOrder = (requirement: string, ids: ReadonlySet<string>): readonly string[] =>
    [...ids].sort().toSorted((one, other) => (met.has(requirement) ? 0 : (costs.get(one) ?? 0) - (costs.get(other) ?? 0)));
  // Requirements with few candidates first: their cases often confirm the others too.
  for (const [requirement, ids] of [...failing].toSorted(([, one], [, other]) => one.size - other.size)) {
    const already = [...ids].filter((id) => chosen.has(id)).length;
    for (const id of inOrder(requirement, ids).slice(0, Math.max(0, casesPerRequirement - already))) chosen.add(id);
  }
  return cases.filter((one) => chosen.has(one.id));
}
