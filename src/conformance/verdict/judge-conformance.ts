import { groupBy } from "../../core/group-by.ts";
import type { ConformanceResult, LeniencyEntry, RequirementResult, SuiteResult } from "../../core/result/conformance-result.ts";
import type { Exchange } from "../../core/exchange/exchange.ts";
import type { Finding } from "../../core/result/finding.ts";
import type { Requirement, SuiteId, Level } from "../../core/result/requirement.ts";
import type { Verdict, SuiteVerdict } from "../../core/result/verdict.ts";
import { type AbsenceFacts, explainAbsence, isAskedFor } from "./explain-absence.ts";
import type { Case } from "../plan/case.ts";
import type { Unmet } from "../plan/case-needs.ts";
import { HarnessFault } from "../judging/harness-fault.ts";
import { judgeExchanges, type JudgedExchanges, kindOf } from "./judge-exchanges.ts";
import { type JudgedOccurrence, listExchanges, subjectOf } from "./judged-occurrence.ts";
import { isAccusation, type Judge, type JudgeContext, type ExchangeJudge } from "../judging/judge.ts";
import { type SettledRecord, violationsOf } from "./settled-record.ts";
import { settleRequirement } from "./settle-requirement.ts";
import { describeJudgeFailure, faultsOf } from "./judge-fault.ts";
import { writeFindings } from "./write-findings.ts";
import { buildMatrix, type MatrixCell, type MatrixEntry } from "../../core/result/conformance-matrix.ts";
import { type ExchangeFacts, factsOf } from "../../core/exchange/exchange-facts.ts";
import { weightOf } from "../judging/subjects.ts";
import { isBinding } from "../../core/result/is-binding.ts";

const levels: readonly Level[] = ["must", "implied", "should", "may", "unspecified"];

/** Counts of one suite and the word for it; no scores, no percentages. */
export function settleSuite(id: SuiteId, requirements: readonly RequirementResult[]): SuiteResult {
  const rows = requirements.filter((row) => row.suite === id);
  const counts = Object.fromEntries(levels.map((level) => [level, countVerdicts(rows.filter((row) => row.level === level))]));
  return { id, verdict: verdictOf(id, rows), counts: counts as SuiteResult["counts"] };
}

function countVerdicts(rows: readonly RequirementResult[]): Partial<Record<Verdict, number>> {
  const counts: Partial<Record<Verdict, number>> = {};
  for (const { verdict } of rows) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
}

/**
 * Conformant only if every binding row in scope was judged and none failed; a lenient reading that was not met is an advisory and
 * does not stand in the way, nor does a row outside the scope. The overlay binds nobody, so all its rows count.
 */
function verdictOf(id: SuiteId, rows: readonly RequirementResult[]): SuiteVerdict {
  const binding = rows.filter((row) => (id === "convention" || isBinding(row.level)) && row.verdict !== "excluded");
  if (binding.some((row) => row.verdict === "fail")) return "non-conformant";
  if (binding.some((row) => row.verdict === "inconclusive")) return "incomplete";
  return binding.some((row) => row.verdict === "pass" || row.verdict === "advisory") ? "conformant" : "untested";
}

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
  /** Rows of checks that another stage found not to apply to this target, and why; default: none. */
  readonly inapplicable?: AbsenceFacts["inapplicable"];
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
  const { exchanges, context } = options;
  const judged = judgeExchanges(exchanges, options.judges, context, options.judged);
  const record = settle([...judged, ...(options.occurrences ?? [])], options);
  const findings = writeFindings(record, context.manifest.target.baseUrl);
  const requirements = nameFindings(record, findings);
  return {
    result: {
      suites: options.suites.map((id) => settleSuite(id, requirements)),
      requirements,
      matrix: describeMatrix(record),
      leniency: describeLeniency(record),
    },
    findings: [...findings, ...faultsOf(judged).map(describeJudgeFailure)],
  };
}

function settle(occurrences: readonly JudgedOccurrence[], options: JudgeConformanceOptions): SettledRecord {
  const { exchanges, catalogue, strict } = options;
  const bySeq = new Map(exchanges.map((exchange) => [exchange.seq, exchange]));
  const byRequirement = groupByRequirement(occurrences, catalogue);
  const facts = absenceFacts(options);
  const settled = catalogue.map((requirement) =>
    settleRequirement({
      requirement,
      occurrences: byRequirement.get(requirement.id) ?? [],
      bySeq,
      absence: explainAbsence(requirement, facts),
      strict,
      isAskedFor: isAskedFor(requirement, facts),
    }),
  );
  return { rows: new Map(settled.map(([row]) => [row.id, row])), occurrences: settled.flatMap(([, counted]) => counted), bySeq };
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
  const { exchanges, judges, suites, rows, untested, cases, waivers, hasExams = true, inapplicable = new Map() } = options;
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
    inapplicable,
    casesOf,
    answered: exchanges.some(({ response }) => response !== null),
    unreadOf: findUnread(exchanges, judges),
    answersOf: new Map([...last].map(([id, attempts]) => [id, [...attempts.values()]])),
  };
}

/** Each row with the findings that are written here, and those in which another stage reports its violations. */
function nameFindings(record: SettledRecord, findings: readonly Finding[]): readonly RequirementResult[] {
  const violations = groupBy(violationsOf(record), ({ requirement }) => requirement);
  return [...record.rows.values()].map((row) => ({
    ...row,
    findings: [
      ...findings.filter((one) => one.requirement === row.id || one.also.includes(row.id)).map(({ id }) => id),
      ...new Set((violations.get(row.id) ?? []).flatMap((violation) => violation.findings ?? [])),
    ],
  }));
}

/** Answers of the target where the specification is silent, equal ones together. */
function describeLeniency({ rows, occurrences }: SettledRecord): readonly LeniencyEntry[] {
  const observed = occurrences.filter(({ outcome }) => outcome === "observed");
  return [...groupBy(observed, ({ requirement }) => requirement)].flatMap(([id, ofRow]) => {
    const byAnswer = groupBy(ofRow, ({ answer, message }) => answer ?? message ?? "recorded");
    const sorted = [...byAnswer].toSorted(([one], [other]) => (one < other ? -1 : 1));
    return sorted.map(([answer, equal]) => ({
      requirement: id,
      question: rows.get(id)?.text ?? "",
      answer,
      exchanges: listExchanges(equal),
    }));
  });
}

/** Endpoints against the answers that were seen. A violation that was not confirmed shows as a doubt, as in its requirement. */
function describeMatrix(record: SettledRecord): readonly MatrixCell[] {
  return buildMatrix(record.occurrences.flatMap((occurrence) => entryOf(occurrence, record)));
}

function entryOf(occurrence: JudgedOccurrence, { rows, bySeq }: SettledRecord): readonly MatrixEntry[] {
  const subject = subjectOf(occurrence, bySeq);
  if (subject === undefined) return [];
  const { requirement } = occurrence;
  return [{ subject, requirement, outcome: outcomeIn(occurrence, rows.get(requirement)?.verdict) }];
}

function outcomeIn(occurrence: JudgedOccurrence, verdict: Verdict | undefined): MatrixEntry["outcome"] {
  if (!isAccusation(occurrence)) return occurrence.outcome;
  if (verdict === "fail") return occurrence.outcome;
  return verdict === "advisory" || verdict === "observed" ? verdict : "inconclusive";
}

/**
 * Says of a requirement whether all answers that its judges would have looked at broke off or could not be read: nobody knows then
 * whether one of them met its condition. The first of them in words; null where one was read, or none came.
 */
function findUnread(exchanges: readonly Exchange[], judges: readonly Judge[]): (requirement: string) => string | null {
  const answered = exchanges.map(factsOf).filter((exchange) => exchange.response !== null && weightOf(exchange) === "fail");
  const ofExchanges = judges.filter((judge) => judge.scope === "exchange");
  return (requirement) => {
    const own = ofExchanges.filter(({ covers }) => covers.includes(requirement));
    if (own.length === 0) return null;
    const concerned = answered.filter((exchange) => isConcerned(own, exchange));
    const [first] = concerned;
    return first === undefined || concerned.some(isRead) ? null : describe(first, concerned.length - 1);
  };
}

function isConcerned(judges: readonly ExchangeJudge[], exchange: ExchangeFacts): boolean {
  const kind = kindOf(exchange);
  return judges.some((judge) => judge.concerns?.(kind) ?? true);
}

function isRead({ failure, obstacle }: ExchangeFacts): boolean {
  return failure === null && obstacle === null;
}

function describe({ seq, failure, obstacle }: ExchangeFacts, more: number): string {
  const others = more === 0 ? "" : ` and ${more} more`;
  const words = obstacle?.words ?? `it broke off (${failure?.kind ?? "unknown"})`;
  return `the answer #${seq}${others} could not be read: ${words}`;
}
