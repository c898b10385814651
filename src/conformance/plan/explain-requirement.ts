import type { Reading } from "../../core/result/reading.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { Case } from "./case.ts";
import type { Judge } from "../judging/judge.ts";

/** Everything that is known about one requirement without a run. */
export interface ExplainedRequirement {
  readonly requirement: Requirement;
  readonly reading: Reading | null;
  readonly judges: readonly string[];
  /** Cases that send what it is judged on. */
  readonly cases: readonly { readonly id: string; readonly title: string; readonly needs: readonly string[] }[];
}

export interface ConformanceKnowledge {
  readonly catalogue: readonly Requirement[];
  readonly readings: readonly Reading[];
  readonly judges: readonly Judge[];
  readonly cases: readonly Case[];
}

/** null when no requirement has this id; ids are compared without case. */
export function explainRequirement(id: string, knowledge: ConformanceKnowledge): ExplainedRequirement | null {
  const requirement = knowledge.catalogue.find((row) => row.id.toLowerCase() === id.trim().toLowerCase());
  if (requirement === undefined) return null;
  const cases = knowledge.cases.filter((one) => one.covers.includes(requirement.id));
  return {
    requirement,
    reading: knowledge.readings.find((reading) => reading.id === requirement.reading) ?? null,
    judges: judgesOf(requirement.id, knowledge),
    cases: cases.map((one) => ({ id: one.id, title: one.title, needs: one.needs.map(describeNeed) })),
  };
}

/** Judges that may decide on a requirement; those bound by intent do so where a case names it. */
export function judgesOf(id: string, { judges, cases }: Pick<ConformanceKnowledge, "judges" | "cases">): readonly string[] {
  const isProbed = cases.some((one) => one.covers.includes(id));
  return judges
    .filter((judge) => judge.covers.includes(id) || (judge.boundByIntent === true && isProbed))
    .map((judge) => judge.id);
}

/** Ids of the same area, for a message about an unknown one. */
export function similarRequirements(id: string, catalogue: readonly Requirement[]): readonly string[] {
  const area = id.trim().toUpperCase().split("-")[0] ?? "";
  return catalogue
    .filter((row) => row.id.startsWith(`${area}-`))
    .map((row) => row.id)
    .slice(0, 8);
}

export function describeNeed(need: Case["needs"][number]): string {
  switch (need.kind) {
    case "key":
    case "permission":
    case "feature":
      return `${need.kind} ${need.name}`;
    case "key-id":
      return `id of the key ${need.name}`;
    case "model":
      return `${need.use} model`;
    case "restore":
      return `values to restore for ${need.key}`;
    case "price":
      return `a declared price (${need.name})`;
    case "fault":
      return `a way to make the target answer ${need.status}`;
    case "foreign-key-id":
      return "foreignKeyId";
    case "plan":
      return "the declared plan";
    case "exclusive":
      return "exclusive: true";
    case "control":
      return "a control plane";
    default:
      return need satisfies never;
  }
}
