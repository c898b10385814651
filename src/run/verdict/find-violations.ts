import { assignOwners } from "../../conformance/verdict/assign-owners.ts";
import { groupBy } from "../../core/group-by.ts";
import type { Finding } from "../../core/result/finding.ts";
import { findingId } from "../../core/result/finding-id.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { PassiveSummary, PassiveViolation } from "../../core/result/result.ts";
import { passiveCheck } from "./passive-check.ts";

const exchangesListed = 5;

interface Defect {
  readonly requirement: Requirement;
  readonly violations: readonly [PassiveViolation, ...PassiveViolation[]];
  readonly kind: string;
  readonly subjects: ReadonlySet<string>;
}

/** One finding a defect under load, seen in this place: of several kinds of answers, and of several requirements where they say the same of the same answers. */
export function findViolations(
  { violations }: PassiveSummary,
  catalogue: readonly Requirement[],
  place: string,
): readonly Finding[] {
  const underLoad = violations.filter(({ stage }) => stage === "load");
  const groups = groupBy(underLoad, ({ requirement, kind }) => `${requirement} ${kind}`);
  const defects = [...groups.values()].flatMap((all): readonly Defect[] => {
    const requirement = catalogue.find((row) => row.id === all[0].requirement);
    const subjects = new Set(all.map(({ subject }) => subject));
    return requirement === undefined ? [] : [{ requirement, violations: all, kind: all[0].kind, subjects }];
  });
  const owned = assignOwners(defects);
  const isOwn = ({ group, owner }: (typeof owned)[number]): boolean => group === owner;
  const alsoOf = (defect: Defect): readonly string[] =>
    owned.filter((one) => one.owner === defect && !isOwn(one)).map(({ group }) => group.requirement.id);
  return owned
    .filter(isOwn)
    .map(({ group }) => describeDefect(group, alsoOf(group), place))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

function describeDefect({ requirement, violations }: Defect, also: readonly string[], place: string): Finding {
  const failing = violations.filter(({ outcome }) => outcome === "fail");
  const isFail = isBinding(requirement.level) && failing.length > 0;
  const shown: readonly PassiveViolation[] = isFail ? failing : violations;
  const first = shown[0] ?? violations[0];
  const others = shown.length - 1;
  const exchanges = shown.flatMap((violation) => violation.exchanges).toSorted((one, other) => one - other);
  const count = shown.reduce((sum, violation) => sum + violation.count, 0);
  const share = first.outOf > 0 ? ` (${((100 * first.count) / first.outOf).toFixed(1)} % of ${first.outOf})` : "";
  const more = others === 0 ? "" : `; so it is for ${others} more kinds of answers`;
  return {
    id: findingId(requirement.id, first.kind),
    stage: "load",
    requirement: requirement.id,
    also,
    check: passiveCheck,
    level: requirement.level,
    verdict: isFail ? "fail" : "advisory",
    message: `${place}, ${first.subject}: ${first.message}${share}${more}`,
    spec: requirement.section,
    sent: null,
    expected: requirement.text,
    observed: first.message,
    forms: shown.map(({ subject, message, exchanges: [exchange = 0], count: times }) => ({
      sent: `${place}, ${subject}`,
      observed: message,
      exchange,
      count: times,
    })),
    exchanges: exchanges.slice(0, exchangesListed),
    more: Math.max(0, count - exchangesListed),
    curl: null,
    baselined: false,
  };
}
