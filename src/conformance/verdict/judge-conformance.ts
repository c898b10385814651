import { findUnread } from "./find-unread.ts";
import { groupBy } from "../../core/group-by.ts";
import type { ConformanceResult, LeniencyEntry, RequirementResult } from "../../core/result/conformance-result.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Requirement, SuiteId } from "../../core/result/requirement.ts";
import { type AbsenceFacts, explainAbsence, isAskedFor } from "./explain-absence.ts";
import type { Case } from "../plan/case.ts";
import type { Unmet } from "../plan/case-needs.ts";
import { HarnessFault } from "../judging/harness-fault.ts";
import { judgeExchanges, type JudgedExchanges } from "./judge-exchanges.ts";
import type { JudgedOccurrence } from "./judged-occurrence.ts";
import type { Judge, JudgeContext } from "../judging/judge.ts";
import { settleInPassing } from "./settle-in-passing.ts";
import { settleRequirement, type SettledRequirement } from "./settle-requirement.ts";
import { settleSuite } from "./settle-suite.ts";
import { describeJudgeFailure, faultsOf } from "./judge-fault.ts";
import { writeFindings } from "./write-findings.ts";
import { buildMatrix, type MatrixCell, type MatrixEntry } from "../../core/result/conformance-matrix.ts";

export interface JudgeConformanceOptions {
  /** Of all stages: passive requirements are judged on every response. */
  readonly exchanges: readonly Exchange[];
  readonly catalogue: readonly Requirement[];
  readonly judges: readonly Judge[];
  readonly context: JudgeContext;
  /** Suites that were asked for; rows of others are untested(not-selected). */
  readonly suites: readonly SuiteId[];
  /** Requirements that were asked for by id or by case; null: all of the suites. */
  readonly rows?: ReadonlySet<string> | null;
  /** Why requirements could not be tried, from the plans of the stages. */
  readonly untested: ReadonlyMap<string, Unmet>;
  /** Cases that send what requirements are judged on: distinguishes a condition that never arose from a target that fell silent. */
  readonly cases?: readonly Pick<Case, "id" | "covers">[];
  readonly waivers?: AbsenceFacts["waivers"];
  /** Whether exams of limits are part of the run; default: they are. */
  readonly hasExams?: boolean;
  readonly strict: boolean;
  /** The statements that exist already about single exchanges; default: they are judged now. */
  readonly judged?: JudgedExchanges;
  /** The occurrences that other stages add to requirements, e.g. limit checks. */
  readonly occurrences?: readonly JudgedOccurrence[];
}

export interface JudgedConformance {
  readonly result: ConformanceResult;
  readonly findings: readonly Finding[];
}

/**
 * The verdict on a record. Pure and independent of the order of exchanges: judging a saved run again gives the same bytes.
 * Throws a HarnessFault where a judge contradicts the catalogue.
 */
export function judgeConformance(options: JudgeConformanceOptions): JudgedConformance {
  const { exchanges, catalogue, context } = options;
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  const judged = judgeExchanges(exchanges, options.judges, context, options.judged);
  const byRequirement = groupByRequirement([...judged, ...(options.occurrences ?? [])], catalogue);
  const facts = absenceFacts(options);
  const settled = catalogue.map((requirement) => {
    const settle = isAskedFor(requirement, facts) ? settleRequirement : settleInPassing;
    return settle({
      requirement,
      occurrences: byRequirement.get(requirement.id) ?? [],
      bySeq,
      absence: explainAbsence(requirement, facts),
      strict: options.strict,
    });
  });
  const violations = writeFindings(settled, { bySeq, baseUrl: context.manifest.target.baseUrl });
  const requirements = settled.map((one) => describeRequirement(one, violations));
  return {
    result: {
      suites: options.suites.map((id) => settleSuite(id, requirements)),
      requirements,
      matrix: describeMatrix(settled, bySeq),
      leniency: settled.flatMap(describeLeniency),
    },
    findings: [...violations, ...faultsOf(judged).map(describeJudgeFailure)],
  };
}

function groupByRequirement(
  occurrences: readonly JudgedOccurrence[],
  catalogue: readonly Requirement[],
): ReadonlyMap<string, readonly JudgedOccurrence[]> {
  const groups = new Map<string, JudgedOccurrence[]>(catalogue.map((requirement) => [requirement.id, []]));
  for (const occurrence of occurrences) {
    const group = groups.get(occurrence.requirement);
    if (group === undefined) {
      throw new HarnessFault(`judge ${occurrence.judge} yields ${occurrence.requirement}, which is not in the catalogue`);
    }
    group.push(occurrence);
  }
  return groups;
}

function absenceFacts(options: JudgeConformanceOptions): AbsenceFacts {
  const { exchanges, judges, suites, rows, untested, cases, waivers, hasExams = true } = options;
  const last = new Map<string, Map<number, Exchange>>();
  for (const exchange of exchanges.toSorted((one, other) => one.seq - other.seq)) {
    if (exchange.stage !== "conformance") continue;
    const attempts = last.get(exchange.caseId) ?? new Map<number, Exchange>();
    last.set(exchange.caseId, attempts.set(exchange.retryOf ?? exchange.seq, exchange));
  }
  const casesOf = new Map<string, string[]>();
  for (const one of cases ?? []) {
    for (const id of one.covers) casesOf.set(id, [...(casesOf.get(id) ?? []), one.id]);
  }
  return {
    suites,
    rows: rows ?? null,
    untested,
    waivers: waivers ?? [],
    hasExams,
    casesOf,
    answered: exchanges.some(({ response }) => response !== null),
    unreadOf: findUnread(exchanges, judges),
    answersOf: new Map([...last].map(([id, attempts]) => [id, [...attempts.values()]])),
  };
}

const exchangesListed = 5;

function describeRequirement(settled: SettledRequirement, findings: readonly Finding[]): RequirementResult {
  const { requirement, occurrences, violations } = settled;
  const shown = violations.length > 0 ? violations : occurrences;
  const exchanges = [...new Set(shown.flatMap((occurrence) => occurrence.exchanges))].toSorted((one, other) => one - other);
  return {
    id: requirement.id,
    suite: requirement.suite,
    level: requirement.level,
    section: requirement.section,
    text: requirement.text,
    verdict: settled.verdict,
    reason: settled.reason,
    ...(settled.untested === undefined ? {} : { untested: settled.untested }),
    ...(settled.inPassing === true ? { inPassing: true } : {}),
    considered: settled.considered,
    violated: settled.violated,
    judges: [...new Set(occurrences.map((occurrence) => occurrence.judge))].sort(),
    exchanges: exchanges.slice(0, exchangesListed),
    findings: [
      ...findings.filter((one) => one.requirement === requirement.id || one.also.includes(requirement.id)).map(({ id }) => id),
      ...new Set(violations.flatMap((violation) => violation.findings ?? [])),
    ],
    reading: requirement.reading,
  };
}

/** Answers of the target where the specification is silent, equal ones together. */
function describeLeniency({ requirement, occurrences }: SettledRequirement): readonly LeniencyEntry[] {
  const observed = occurrences.filter(({ outcome }) => outcome === "observed");
  const byAnswer = groupBy(observed, ({ answer, message }) => answer ?? message ?? "recorded");
  const sorted = [...byAnswer].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([answer, equal]) => ({
    requirement: requirement.id,
    question: requirement.text,
    answer,
    exchanges: [...new Set(equal.flatMap(({ exchanges }) => exchanges))]
      .toSorted((one, other) => one - other)
      .slice(0, exchangesListed),
  }));
}

/** Endpoints against the answers that were seen. A violation that was not confirmed shows as a doubt, as in its requirement. */
function describeMatrix(settled: readonly SettledRequirement[], bySeq: ReadonlyMap<number, Exchange>): readonly MatrixCell[] {
  return buildMatrix(settled.flatMap((one) => entriesOf(one, bySeq)));
}

function entriesOf(
  { requirement, verdict, occurrences, violations }: SettledRequirement,
  bySeq: ReadonlyMap<number, Exchange>,
): readonly MatrixEntry[] {
  const violating = new Set(violations);
  return occurrences.flatMap((occurrence) => {
    const subject = bySeq.get(occurrence.exchanges[0] ?? 0);
    if (subject === undefined) return [];
    const isViolation = occurrence.outcome === "fail" || occurrence.outcome === "advisory";
    const doubted = verdict === "observed" ? "observed" : "inconclusive";
    const worst = verdict === "fail" && occurrence.outcome === "fail" ? "fail" : "advisory";
    const outcome = !isViolation ? occurrence.outcome : violating.has(occurrence) ? worst : doubted;
    return [{ subject, requirement: requirement.id, outcome }];
  });
}
