import type { Unmet } from "../../conformance/plan/case-needs.ts";
import type { MissingSupply } from "../../core/result/scope-result.ts";
import { supplyWords } from "./supply-words.ts";

/** Members of the manifest that these requirements lack, the one that most of them need first. */
export function missingSupply(untested: Iterable<readonly [id: string, unmet: Unmet]>): readonly MissingSupply[] {
  const byMember = new Map<string, string[]>();
  for (const [id, { supply = [] }] of untested) {
    for (const member of supply) byMember.set(member, [...(byMember.get(member) ?? []), id]);
  }
  return [...byMember]
    .map(([member, requirements]) => ({ member, what: supplyWords(member), requirements }))
    .toSorted((one, other) => other.requirements.length - one.requirements.length || (one.member < other.member ? -1 : 1));
}
