import type { RequirementResult } from "../../core/result/conformance-result.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { Absence } from "./explain-absence.ts";
import { isAccusation } from "../judging/judge.ts";
import { type JudgedOccurrence, listExchanges, rootOf, subjectOf } from "./judged-occurrence.ts";
import { groupBy } from "../../core/group-by.ts";

export interface SettleOptions {
  readonly requirement: Requirement;
  readonly occurrences: readonly JudgedOccurrence[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
  /** Why nothing could be judged, when nothing was. */
  readonly absence: Absence;
  /** Advisory turns into fail: violated SHOULDs and lenient readings. */
  readonly strict: boolean;
  /** The run was asked about this row. Of any other only a violation is reported, and the row is marked. */
  readonly isAskedFor: boolean;
}

/** The row of a requirement, without its findings, and the occurrences that count in it. */
type Settled = readonly [row: RequirementResult, occurrences: readonly JudgedOccurrence[]];

/**
 * fail > inconclusive > advisory > observed > pass; a pass needs a subject. A violation counts once it is confirmed: seen
 * again on a repetition, proven by the record alone, or shown by two requests where repeating is not possible.
 *
 * A row that was not asked for stays untested whatever was seen of it, unless it was violated: whether its condition arises is
 * chance, and equal selections judge equal rows.
 */
export function settleRequirement(options: SettleOptions): Settled {
  const { requirement, isAskedFor } = options;
  const groups = requirement.exclusion === null ? groupAttempts(options.occurrences, options.bySeq) : [];
  const occurrences = groups.flatMap(effective);
  const ruling = rule(occurrences, groups, options);
  if (isAskedFor) return [describe(requirement, ruling, occurrences), occurrences];
  if (ruling.verdict !== "fail" && ruling.verdict !== "advisory") return [describe(requirement, rule([], [], options), []), []];
  return [describe(requirement, { ...ruling, inPassing: true }, occurrences), occurrences];
}

type Ruling = Pick<RequirementResult, "verdict" | "reason" | "untested" | "inPassing">;

function rule(
  occurrences: readonly JudgedOccurrence[],
  groups: readonly AttemptGroup[],
  { requirement, absence, strict, bySeq }: SettleOptions,
): Ruling {
  if (requirement.exclusion !== null) return { verdict: "excluded", reason: requirement.exclusion };
  if (occurrences.length === 0) return absence;
  const failing = occurrences.filter((occurrence) => occurrence.outcome === "fail");
  if (failing.length > 0) {
    const weight = weighViolation(requirement, strict);
    if (weight === "fail" && !isConfirmed(groups, bySeq)) return { verdict: "inconclusive", reason: wordUnconfirmed(failing) };
    return { verdict: weight, reason: word(failing) };
  }
  const doubtful = occurrences.filter((occurrence) => occurrence.outcome === "inconclusive");
  if (doubtful.length > 0) {
    // A doubt that what is lacking explains is none about the target.
    if (absence.verdict === "untested") return { verdict: "untested", reason: absence.reason };
    return { verdict: "inconclusive", reason: word(doubtful) };
  }
  const advisory = occurrences.filter(isAccusation);
  if (advisory.length > 0) {
    const verdict = strict && requirement.suite !== "convention" ? "fail" : "advisory";
    return { verdict, reason: word(advisory) };
  }
  const observed = occurrences.filter((occurrence) => occurrence.outcome === "observed");
  if (observed.length === 0) return { verdict: "pass", reason: null };
  const answers = new Set(observed.map((one) => one.answer ?? one.message ?? "recorded"));
  return { verdict: "observed", reason: [...answers].sort().slice(0, 6).join("; ") };
}

function describe(
  { id, suite, level, section, text, reading }: Requirement,
  { verdict, reason, untested, inPassing }: Ruling,
  occurrences: readonly JudgedOccurrence[],
): RequirementResult {
  const violations = verdict === "fail" || verdict === "advisory" ? occurrences.filter(isAccusation) : [];
  const shown = violations.length > 0 ? violations : occurrences;
  return {
    id,
    suite,
    level,
    section,
    text,
    verdict,
    reason,
    ...(untested === undefined ? {} : { untested }),
    ...(inPassing === true ? { inPassing: true } : {}),
    considered: occurrences.length,
    violated: occurrences.filter(({ outcome }) => outcome === "fail").length,
    judges: [...new Set(occurrences.map(({ judge }) => judge))].sort(),
    exchanges: listExchanges(shown),
    findings: [],
    reading,
  };
}

/** The overlay has a verdict line of its own, so its rows fail although the specification says nothing. */
function weighViolation({ level, suite }: Requirement, strict: boolean): "fail" | "advisory" | "observed" {
  if (suite === "convention" || isBinding(level)) return "fail";
  if (level === "should") return strict ? "fail" : "advisory";
  return "observed";
}

/** Occurrences of one judge on one probe, first attempt and repetitions together. */
type AttemptGroup = readonly JudgedOccurrence[];

/** A judge that could not look at one answer says nothing where answers were looked at. */
function groupAttempts(all: readonly JudgedOccurrence[], bySeq: ReadonlyMap<number, Exchange>): readonly AttemptGroup[] {
  const looked = all.filter(({ unread }) => unread !== true);
  const groups = groupBy(looked.length > 0 ? looked : all, (occurrence) => {
    const subject = subjectOf(occurrence, bySeq);
    return `${occurrence.judge} ${subject === undefined ? (occurrence.exchanges[0] ?? 0) : rootOf(subject)}`;
  });
  return [...groups.values()];
}

/** A doubt about one attempt is settled by another attempt of the same probe. */
function effective(group: AttemptGroup): readonly JudgedOccurrence[] {
  const certain = group.filter((occurrence) => occurrence.outcome !== "inconclusive");
  return certain.length > 0 ? certain : group;
}

function isConfirmed(groups: readonly AttemptGroup[], bySeq: ReadonlyMap<number, Exchange>): boolean {
  const failing = groups.map((group) => group.filter((occurrence) => occurrence.outcome === "fail"));
  if (failing.flat().some((occurrence) => occurrence.conclusive)) return true;
  if (failing.some((group) => new Set(group.map((occurrence) => occurrence.exchanges[0])).size > 1)) return true;
  const elsewhere = failing
    .flat()
    .map((occurrence) => subjectOf(occurrence, bySeq))
    // A schedule that drives a limit: the refusal comes at another request each time, so none is the repetition of another.
    .filter((exchange) => exchange?.stage !== "conformance" || exchange.intent.kind === "limit");
  return new Set(elsewhere.map((exchange) => exchange?.seq)).size > 1;
}

function word(occurrences: readonly JudgedOccurrence[]): string {
  const [first, ...more] = occurrences.map(({ message = "" }) => message).sort();
  return `${first || "no reason given"}${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
}

function wordUnconfirmed(occurrences: readonly JudgedOccurrence[]): string {
  return `not confirmed: ${word(occurrences)}; it was seen once and a repetition did not show it, or there was none`;
}
