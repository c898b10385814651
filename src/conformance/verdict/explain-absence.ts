import type { Exchange } from "../../core/exchange/exchange.ts";
import { examSuites } from "../../core/result/exam-suites.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import type { Requirement, SuiteId } from "../../core/result/requirement.ts";
import type { UntestedReason, Verdict } from "../../core/result/verdict.ts";
import { factsOf } from "../../core/exchange/exchange-facts.ts";
import { describeAnswer } from "../judging/describe-answer.ts";
import type { Unmet } from "../plan/case-needs.ts";

/** The verdict on a requirement for which nothing was judged, and why. */
export interface Absence {
  readonly verdict: Extract<Verdict, "untested" | "not-applicable" | "inconclusive">;
  readonly reason: string;
  readonly untested?: UntestedReason;
}

export interface AbsenceFacts {
  /** Suites that were asked for. */
  readonly suites: readonly SuiteId[];
  /** Requirements that were asked for; null: all of the suites. */
  readonly rows: ReadonlySet<string> | null;
  /** Why requirements could not be tried: from the plans of the stages. */
  readonly untested: ReadonlyMap<string, Unmet>;
  /** Patterns of ids that the manifest waives today, with the reasons. */
  readonly waivers: readonly { readonly matches: (id: string) => boolean; readonly reason: string }[];
  /** Cases that were sent, by requirement. */
  readonly casesOf: ReadonlyMap<string, readonly string[]>;
  /** Whether exams of limits are part of the run. */
  readonly hasExams: boolean;
  /** Rows of checks that do not apply to this target, and why. */
  readonly inapplicable: ReadonlyMap<string, string>;
  /** Whether the target answered anything at all. */
  readonly answered: boolean;
  /** An answer that could not be read, where its judges could look at no other, in words; null where they could, or had none. */
  readonly unreadOf: (requirement: string) => string | null;
  /** By case, the last attempt of each request. */
  readonly answersOf: ReadonlyMap<string, readonly Exchange[]>;
}

/** Whether a run was asked about a row. It sees other rows by chance only. */
export function isAskedFor({ id, suite }: Requirement, { suites, rows }: Pick<AbsenceFacts, "suites" | "rows">): boolean {
  return suites.includes(suite) && (rows === null || rows.has(id));
}

/**
 * Three reasons for silence. Outside the scope: it was not asked for, or the manifest does not supply what it needs. Not
 * applicable: the requirement is conditional and its condition did not arise on a target that answered. Inconclusive: it was asked
 * for, and no answer showed it, as from a target that stopped answering.
 */
export function explainAbsence(requirement: Requirement, facts: AbsenceFacts): Absence {
  const { id, suite } = requirement;
  if (!facts.suites.includes(suite)) return outside({ reason: "not-selected", text: `the suite ${suite} was not selected` });
  if (facts.rows !== null && !facts.rows.has(id)) return outside({ reason: "not-selected", text: "it was not asked for" });
  const waiver = facts.waivers.find((one) => one.matches(id));
  if (waiver !== undefined) return outside({ reason: "waived", text: waiver.reason });
  const unmet = facts.untested.get(id);
  if (unmet !== undefined && unmet.reason !== "not-observed") return outside(unmet);
  if (unmet !== undefined) return { verdict: "inconclusive", reason: unmet.text };
  if (!facts.answered) return { verdict: "inconclusive", reason: "the target answered nothing" };
  const cases = facts.casesOf.get(id) ?? [];
  const troubles = cases.map((caseId) => troubleOf(facts.answersOf.get(caseId) ?? []));
  if (cases.length > 0 && troubles.every((trouble) => trouble !== null)) {
    const worst = Math.max(
      0,
      troubles.findIndex((trouble) => trouble !== nothingSent),
    );
    return { verdict: "inconclusive", reason: `case ${cases[worst]}: ${troubles[worst]}` };
  }
  const unread = facts.unreadOf(id);
  if (unread !== null) return { verdict: "inconclusive", reason: unread };
  const inapplicable = facts.inapplicable.get(id);
  if (inapplicable !== undefined) return { verdict: "not-applicable", reason: inapplicable };
  const conditional = requirement.how.includes("passive") || !isBinding(requirement.level);
  if (conditional) return { verdict: "not-applicable", reason: "no response of this run met its condition" };
  if (cases.length > 0) return { verdict: "inconclusive", reason: `no answer in ${cases.join(", ")} showed it` };
  if (examSuites.has(suite) && !facts.hasExams) {
    return outside({ reason: "not-selected", text: "the exams of assay limits ask for it" });
  }
  return { verdict: "inconclusive", reason: "nothing that was sent shows it" };
}

function outside({ reason, text }: Unmet): Absence {
  return { verdict: "untested", reason: `${reason}: ${text}`, untested: reason };
}

const nothingSent = "nothing was sent";

/** Why the answers to a case cannot show anything; null when each is of the kind that it asks for. */
function troubleOf(answers: readonly Exchange[]): string | null {
  if (answers.length === 0) return nothingSent;
  const troubled = answers.map(factsOf).find((exchange) => {
    const { status, failure, isSuccess, intent } = exchange;
    if (status === null || failure !== null) return true;
    if (intent.kind === "valid") return !isSuccess;
    return intent.kind === "violates" && intent.condition !== "fault-trigger" && (status >= 500 || status === 429);
  });
  return troubled === undefined ? null : `${troubled.label} was answered ${describeAnswer(troubled)}`;
}
