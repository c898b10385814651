import type { RequirementResult } from "../../core/result/conformance-result.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import { isBinding } from "../../core/result/is-binding.ts";
import type { Requirement } from "../../core/result/requirement.ts";
import type { Absence } from "./explain-absence.ts";
import { isAccusation } from "../judging/judge.ts";
import type { JudgedOccurrence, JudgedViolation } from "./judged-occurrence.ts";
import { groupBy } from "../../core/group-by.ts";

/** Verdict on one requirement with the occurrences that carry it. */
export interface SettledRequirement extends Pick<
  RequirementResult,
  "verdict" | "reason" | "untested" | "inPassing" | "considered" | "violated"
> {
  readonly requirement: Requirement;
  /** All occurrences after repetitions were weighed against first attempts. */
  readonly occurrences: readonly JudgedOccurrence[];
  /** Violations that are reported: confirmed, of a lenient reading, or of a SHOULD. */
  readonly violations: readonly JudgedViolation[];
}

export interface SettleOptions {
  readonly requirement: Requirement;
  readonly occurrences: readonly JudgedOccurrence[];
  readonly bySeq: ReadonlyMap<number, Exchange>;
  /** Why nothing could be judged, when nothing was. */
  readonly absence: Absence;
  /** Advisory turns into fail: violated SHOULDs and lenient readings. */
  readonly strict: boolean;
}

/**
 * fail > inconclusive > advisory > observed > pass; a pass needs a subject. A violation counts once it is confirmed: seen
 * again on a repetition, proven by the record alone, or shown by two requests where repeating is not possible.
 */
export function settleRequirement(options: SettleOptions): SettledRequirement {
  const { requirement, bySeq, absence } = options;
  if (requirement.exclusion !== null) {
    return settled(requirement, { verdict: "excluded", reason: requirement.exclusion, occurrences: [], violations: [] });
  }
  const looked = options.occurrences.filter(({ unread }) => unread !== true);
  const said = looked.length > 0 ? looked : options.occurrences;
  if (said.length === 0) return settled(requirement, { ...absence, occurrences: [], violations: [] });
  const groups = groupAttempts(said, bySeq);
  const occurrences = groups.flatMap(effective);
  const failing = occurrences.filter((occurrence) => occurrence.outcome === "fail");
  if (failing.length > 0) {
    const weight = weighViolation(requirement, options.strict);
    if (weight === "observed")
      return settled(requirement, { verdict: "observed", reason: describe(failing), occurrences, violations: [] });
    if (weight === "advisory" || isConfirmed(groups, bySeq)) {
      const violations = occurrences.filter(isAccusation);
      return settled(requirement, { verdict: weight, reason: describe(failing), occurrences, violations });
    }
    return settled(requirement, { verdict: "inconclusive", reason: describeUnconfirmed(failing), occurrences, violations: [] });
  }
  const doubtful = occurrences.filter((occurrence) => occurrence.outcome === "inconclusive");
  if (doubtful.length > 0) {
    // A doubt that what is lacking explains is none about the target.
    if (absence.verdict === "untested") {
      return settled(requirement, { verdict: "untested", reason: absence.reason, occurrences, violations: [] });
    }
    return settled(requirement, { verdict: "inconclusive", reason: describe(doubtful), occurrences, violations: [] });
  }
  const advisory = occurrences.filter(isAccusation);
  if (advisory.length > 0) {
    const verdict = options.strict && requirement.suite !== "convention" ? "fail" : "advisory";
    return settled(requirement, { verdict, reason: describe(advisory), occurrences, violations: advisory });
  }
  const observed = occurrences.filter((occurrence) => occurrence.outcome === "observed");
  if (observed.length === 0) return settled(requirement, { verdict: "pass", reason: null, occurrences, violations: [] });
  const answers = new Set(observed.map((one) => one.answer ?? one.message ?? "recorded"));
  const reason = [...answers].sort().slice(0, 6).join("; ");
  return settled(requirement, { verdict: "observed", reason, occurrences, violations: [] });
}

function settled(
  requirement: Requirement,
  rest: Pick<SettledRequirement, "verdict" | "reason" | "untested" | "occurrences" | "violations">,
): SettledRequirement {
  const violated = rest.occurrences.filter((occurrence) => occurrence.outcome === "fail").length;
  return { requirement, ...rest, considered: rest.occurrences.length, violated };
}

/** The overlay has a verdict line of its own, so its rows fail although the specification says nothing. */
function weighViolation({ level, suite }: Requirement, strict: boolean): "fail" | "advisory" | "observed" {
  if (suite === "convention" || isBinding(level)) return "fail";
  if (level === "should") return strict ? "fail" : "advisory";
  return "observed";
}

/** Occurrences of one judge on one probe, first attempt and repetitions together. */
type AttemptGroup = readonly JudgedOccurrence[];

function groupAttempts(occurrences: readonly JudgedOccurrence[], bySeq: ReadonlyMap<number, Exchange>): readonly AttemptGroup[] {
  const groups = groupBy(occurrences, ({ judge, exchanges: [seq = 0] }) => {
    const subject = bySeq.get(seq);
    return `${judge} ${subject?.retryOf ?? subject?.seq ?? seq}`;
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
    .map((occurrence) => bySeq.get(occurrence.exchanges[0] ?? 0))
    // A schedule that drives a limit: the refusal comes at another request each time, so none is the repetition of another.
    .filter((exchange) => exchange?.stage !== "conformance" || exchange.intent.kind === "limit");
  return new Set(elsewhere.map((exchange) => exchange?.seq)).size > 1;
}

function describe(occurrences: readonly JudgedOccurrence[]): string {
  const [first, ...more] = occurrences.map(({ message = "" }) => message).sort();
  return `${first || "no reason given"}${more.length > 0 ? ` (and ${more.length} more)` : ""}`;
}

function describeUnconfirmed(occurrences: readonly JudgedOccurrence[]): string {
  return `not confirmed: ${describe(occurrences)}; it was seen once and a repetition did not show it, or there was none`;
}
